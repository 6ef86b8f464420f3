/** The services of an endpoint as one caller has them. */
import { environmentsTouched } from '../../domain/environments-touched.ts';
import { takesOver } from '../../domain/takes-over.ts';
import type { Resource } from '../../kube/resource.ts';
import type { Access } from '../../kube/reviews.ts';
import { environment } from '../../schema/environment.ts';
import type { FlagSpec } from '../../schema/feature-flag.ts';
import type { RequestDeadline } from '../request-deadline.ts';
import type { Services, SharedServices } from '../route.ts';
import type { Taking } from '../taking.ts';
import { waysOutOf, waysOutOfFlag, waysOutOfProject } from '../ways-out.ts';
import type { Caller } from './caller.ts';
import { type Rules, type Writable, writtenBy } from './written-by.ts';

/** The verb on an Environment, by its wire name in the namespace of a flag, to change what the flag says of it. */
const CHANGE_FLAGS = 'change-flags';

export interface CallerServicesParts extends SharedServices {
  /** Changing what a flag says of an environment needs a permission for that environment. */
  readonly environmentPermissions: boolean;
}

/** Who calls, what they say of fields that others hold, and how long their writes may wait. */
export interface Calling {
  readonly caller: Caller;
  readonly taking: Taking;
  readonly deadline: RequestDeadline;
}

export function servicesFor(parts: CallerServicesParts, { caller, taking, deadline }: Calling): Services {
  const { environmentPermissions, now, flags, projects, environments, strategyTypes, tokens } = parts;
  const inEnvironments = (namespace: string, next: FlagSpec, before: FlagSpec | undefined): readonly Access[] =>
    environmentsTouched(before, next).map((name) => {
      return { verb: CHANGE_FLAGS, resource: environment.plural, namespace, name };
    });
  const written = <S, T>(resource: Resource<S, T>, rules: Partial<Rules<S, T>> = {}): Writable<S, T> =>
    writtenBy(resource, { caller, taking, deadline, now, alsoNeeds: () => [], waysOut: waysOutOf, ...rules });
  return {
    ...parts,
    caller,
    flags: written(flags, {
      ...(environmentPermissions && { alsoNeeds: inEnvironments }),
      takesOver: (flag) => takesOver(parts.catalog.surroundingsOf(flag).project),
      waysOut: waysOutOfFlag,
    }),
    projects: written(projects, { takesOver, waysOut: waysOutOfProject }),
    environments: written(environments),
    strategyTypes: written(strategyTypes),
    tokens: written(tokens),
  };
}
