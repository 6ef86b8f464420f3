/** The entry of a step that cannot be derived: an object was created, changed or deleted. */

import { projectIdOf } from '../domain/flag-values.ts';
import { wireNameOf } from '../domain/names.ts';
import { apiToken } from '../schema/api-token.ts';
import { environment } from '../schema/environment.ts';
import { featureFlag } from '../schema/feature-flag.ts';
import { flagRole } from '../schema/flag-role.ts';
import { flagUser } from '../schema/flag-user.ts';
import type { Kind } from '../schema/kind.ts';
import type { CustomObject } from '../schema/object.ts';
import { project } from '../schema/project.ts';
import { strategyDefinition } from '../schema/strategy-definition.ts';
import { lifecycles, tokenLifecycle } from './derive.ts';
import { flagLifecycle } from './derive-flag.ts';
import type { Derive, Lifecycle } from './derive-kind.ts';
import { projectLifecycle } from './derive-project.ts';
import { strategyTypeLifecycle } from './derive-strategy-type.ts';
import { nowhere, type Place, tell } from './derive-told.ts';

type AnyObject = CustomObject<never, unknown>;

interface Bare {
  readonly types: (object: AnyObject) => Lifecycle;
  /** By names alone. */
  readonly place: (object: AnyObject) => Partial<Place>;
}

function bareKind<S, T>(
  { plural }: Kind<S, T>,
  types: (object: CustomObject<S, T>) => Lifecycle,
  place: (object: CustomObject<S, T>) => Partial<Place> = () => ({}),
): readonly [string, Bare] {
  // Objects of a resource are parsed as of its kind.
  return [plural, { types, place } as unknown as Bare];
}

const byResource: ReadonlyMap<string, Bare> = new Map([
  bareKind(
    featureFlag,
    () => flagLifecycle,
    (flag) => ({ project: projectIdOf(flag), featureName: wireNameOf(flag) }),
  ),
  bareKind(
    project,
    () => projectLifecycle,
    (object) => ({ project: wireNameOf(object) }),
  ),
  bareKind(
    environment,
    () => lifecycles.environment,
    (object) => ({ environment: wireNameOf(object) }),
  ),
  bareKind(strategyDefinition, () => strategyTypeLifecycle),
  bareKind(flagUser, () => lifecycles.user),
  bareKind(flagRole, () => lifecycles.role),
  bareKind(apiToken, tokenLifecycle),
]);

/** One entry without content, so that a change that no rule foresaw is in the history all the same. */
export const deriveBare: Derive = ({ resource, before, after }) => {
  const object = (after ?? before) as AnyObject | undefined;
  const bare = byResource.get(resource);
  if (!bare || !object) return [];
  const { created, updated, deleted } = bare.types(object);
  const ofLiving = before ? updated : created;
  return [tell(after ? ofLiving : deleted, { ...nowhere, ...bare.place(object) })];
};
