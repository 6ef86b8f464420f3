/** What must differ between two versions of an object for there to be something to tell. */
import { isRecord, type RawObject } from '../kube/raw-object.ts';

/** The same for almost all that is written to a status: then nothing needs to be parsed, derived or kept. */
export function markOf({ metadata, status }: Pick<RawObject, 'metadata' | 'status'>): string {
  const { id = null, conditions } = isRecord(status) ? status : {};
  return JSON.stringify([metadata.generation ?? 0, id, isPotentiallyStale(conditions)]);
}

/** The generation of the object that a mark is of. */
export function generationIn(mark: string): number {
  return (JSON.parse(mark) as readonly [number])[0];
}

function isPotentiallyStale(conditions: unknown): boolean {
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  return all.some((one) => isRecord(one) && one['type'] === 'PotentiallyStale' && one['status'] === 'True');
}
