/** A run in one line. */
import { entryPoints, type Operation } from './history.ts';
import type { Run } from './run-writers.ts';

/** `retries` are the conflicts that the replicas had and resolved by themselves, or gave up on. */
export function summaryOf({ history, durationMs }: Run, seed: number, retries: number): string {
  const { operations, reads, versions } = history;
  const byEntryPoint = entryPoints.map(
    (entryPoint) => `${entryPoint} ${tally(operations.filter((one) => one.entryPoint === entryPoint))}`,
  );
  const refused = operations.filter(({ outcome }) => outcome.type === 'refused' && [409, 412].includes(outcome.status));
  const seconds = (durationMs / 1000).toFixed(1);
  return [
    `seed ${seed}: ${operations.length} operations (acknowledged/refused/unknown: ${byEntryPoint.join(', ')})`,
    `${reads.length} reads`,
    `${versions.length} versions`,
    `conflicts: ${refused.length} answered, ${retries} met by replicas`,
    `${seconds} s`,
  ].join('; ');
}

function tally(operations: readonly Operation[]): string {
  const count = (type: Operation['outcome']['type']) =>
    operations.filter(({ outcome }) => outcome.type === type).length;
  return `${count('acknowledged')}/${count('refused')}/${count('unknown')}`;
}
