/** The freezes that refuse a planned change of a flag to everyone who may not bypass them. */
import { refusedByFreeze } from '../../src/domain/flag/edit/change-in-freeze.ts';
import { freezeAt } from '../../src/domain/freeze/freeze-in-force.ts';
import type { FrozenEnvironment } from '../../src/errors.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { isRecord } from '../../src/model/json.ts';
import { type FeatureFlag, featureFlag } from '../../src/schema/feature-flag.ts';
import type { EnvironmentsOfFlag } from '../connection/environments.ts';

/** The flag as the API server has it, and as the write leaves it; undefined if it does not exist. */
export interface FlagWrite {
  readonly before: unknown;
  readonly after: unknown;
}

/** `now` is in ms since 1970. */
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

/** Undefined if it does not exist. */
export function plannedFlag(object: unknown): FeatureFlag | undefined {
  return object === undefined ? undefined : parseObject(featureFlag, versioned(object));
}

/** Adds an empty version, because the dry run of a creation returns none. */
function versioned(object: unknown): unknown {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  return isRecord(object) && isRecord(metadata)
    ? { ...object, metadata: { resourceVersion: '', ...metadata } }
    : object;
}
