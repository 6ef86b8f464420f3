/**
 * The status that kstatus computes for a custom resource: the rules of Flux, Helm, kpt and `cli-utils` for unknown
 * kinds.
 */
import type { Stored } from '../stored.ts';

export type KStatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating';

export function kstatusOf({ metadata, status = {} }: Stored): KStatus {
  if (metadata.deletionTimestamp) return 'Terminating';
  const { observedGeneration, conditions = [] } = status;
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return 'InProgress';
  const abnormal = conditions.find(
    ({ type, status: recorded }: Stored) => recorded === 'True' && (type === 'Reconciling' || type === 'Stalled'),
  );
  if (abnormal) return abnormal.type === 'Stalled' ? 'Failed' : 'InProgress';
  const ready = conditions.find(({ type }: Stored) => type === 'Ready');
  return ready && ready.status !== 'True' ? 'InProgress' : 'Current';
}
