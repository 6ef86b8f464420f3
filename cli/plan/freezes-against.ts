/** The freezes that refuse a planned change of a flag to everyone who may not bypass them. */
import { refusedByFreeze } from '../../src/domain/flag/edit/change-in-freeze.ts';
import { freezeAt } from '../../src/domain/freeze/freeze-in-force.ts';
import type { FrozenEnvironment } from '../../src/errors.ts';
import type { EnvironmentsOfFlag } from '../connection/environments.ts';
import { type FlagWrite, plannedFlag } from './flag-write.ts';

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
