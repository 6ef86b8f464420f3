/** Environments in which a planned flag would be off, because its evaluation takes too long. */
import { costlyEvaluations } from '../../src/domain/flag/judge/evaluation-work.ts';
import { type FlagWrite, plannedFlag } from './flag-write.ts';

/** Sentences. Constraints of segments and the work of parents, which are other objects, do not count. */
export function costlyAfter({ after }: FlagWrite): readonly string[] {
  const flag = plannedFlag(after);
  if (!flag) return [];
  return costlyEvaluations(flag, { segments: undefined, parents: undefined }).map(
    ({ path: [, environment], message }) => `the flag would be off in ${environment}: ${message}`,
  );
}
