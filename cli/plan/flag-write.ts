/** The planned write of a flag, with what stands against it. */
import { refusedByFreeze } from '../../src/domain/flag/edit/change-in-freeze.ts';
import { costlyEvaluations } from '../../src/domain/flag/judge/evaluation-work.ts';
import { freezeAt } from '../../src/domain/freeze/freeze-in-force.ts';
import type { FrozenEnvironment } from '../../src/errors.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { recordOf, recordsIn } from '../../src/model/json.ts';
import type { UsageReason } from '../../src/schema/condition.ts';
import { type FeatureFlag, featureFlag } from '../../src/schema/feature-flag.ts';
import type { EnvironmentsOfFlag } from '../connection/environments.ts';
import { metadataOf } from '../manifests/ref.ts';

/** The flag as the API server has it, and as the write leaves it; undefined if it does not exist. */
export interface FlagWrite {
  readonly before: unknown;
  readonly after: unknown;
}

/** The flag before or after the write. Undefined if it does not exist. */
function plannedFlag(object: unknown): FeatureFlag | undefined {
  if (object === undefined) return undefined;
  // The dry run of a creation returns no version.
  const metadata = { resourceVersion: '', ...metadataOf(object) };
  return parseObject(featureFlag, { ...recordOf(object), metadata });
}

/** The freezes that refuse the write to everyone who may not bypass them. `now` is in ms since 1970. */
export function freezesAgainst(
  write: FlagWrite,
  environmentsOf: EnvironmentsOfFlag,
  now: number,
): readonly FrozenEnvironment[] {
  const [before, after] = [write.before, write.after].map(plannedFlag);
  const known = new Map([before, after].flatMap((flag) => (flag ? [...environmentsOf(flag)] : [])));
  return refusedByFreeze({ before: before?.spec, after: after?.spec }).flatMap((name) => {
    const environment = known.get(name);
    const inForce = environment && freezeAt(environment.spec, now);
    if (!inForce) return [];
    const { freeze, until } = inForce;
    return [{ environment: name, name: freeze.name, until, reason: freeze.reason }];
  });
}

/**
 * Sentences about environments in which the flag would be off, because its evaluation takes too long. Constraints of
 * segments and the work of parents, which are other objects, do not count.
 */
export function costlyAfter({ after }: FlagWrite): readonly string[] {
  const flag = plannedFlag(after);
  if (!flag) return [];
  return costlyEvaluations(flag, { segments: undefined, parents: undefined }).map(
    ({ path: [, environment], message }) => `the flag would be off in ${environment}: ${message}`,
  );
}

const IN_USE: readonly unknown[] = ['InUse', 'ArchivedInUse'] satisfies readonly UsageReason[];

/**
 * Returns the message of the condition Usage if the write deletes or archives the flag; undefined if no application is
 * known to ask for it, or it stays.
 */
export function useAgainst({ before, after }: FlagWrite): string | undefined {
  if (after !== undefined && (!isArchived(after) || isArchived(before))) return undefined;
  const conditions = recordsIn(recordOf(recordOf(before)['status'])['conditions']);
  const usage = conditions.find(({ type }) => type === 'Usage');
  return IN_USE.includes(usage?.['reason']) ? String(usage?.['message']) : undefined;
}

function isArchived(object: unknown): boolean {
  return recordOf(recordOf(object)['spec'])['archived'] === true;
}
