/** The fingerprint of an object's version: if it is equal, there is no change to record. */
import { isFoundEnd } from '../../domain/approval/request-life.ts';
import type { RawObject } from '../../kube/object/raw-object.ts';
import { isRecord } from '../../model/json.ts';

/** Ignores almost all status writes, which then need not be parsed, derived or stored. */
export function fingerprintOf({ metadata, status }: Pick<RawObject, 'metadata' | 'status'>): string {
  const { id = null, conditions, changedByTimeAt, phase } = isRecord(status) ? status : {};
  const moment = [...(changedByTimeAt === undefined ? [] : [changedByTimeAt]), ...(isFoundEnd(phase) ? [phase] : [])];
  return JSON.stringify([metadata.generation ?? 0, id, isPotentiallyStale(conditions), ...moment]);
}

/** The generation of the object in its fingerprint. */
export function generationIn(fingerprint: string): number {
  return (JSON.parse(fingerprint) as readonly [number])[0];
}

/** The part of a fingerprint that follows from what decides: the spec and the integer id. */
export function decisiveIn(fingerprint: string | undefined): string {
  return fingerprint === undefined ? '' : JSON.stringify((JSON.parse(fingerprint) as readonly unknown[]).slice(0, 2));
}

function isPotentiallyStale(conditions: unknown): boolean {
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  return all.some((one) => isRecord(one) && one['type'] === 'PotentiallyStale' && one['status'] === 'True');
}
