/** The services of an endpoint as one caller has them. */
import {
  type SpecWrite,
  type Touched,
  touchedByEnvironment,
  touchedByFlag,
  touchedByProject,
  touchedByStrategyType,
} from '../../domain/environments-touched.ts';
import { takesOver } from '../../domain/takes-over.ts';
import type { Resource } from '../../kube/resource.ts';
import type { Access } from '../../kube/reviews.ts';
import { environment } from '../../schema/environment.ts';
import type { RequestDeadline } from '../request-deadline.ts';
import type { Services, SharedServices } from '../route.ts';
import type { Taking } from '../taking.ts';
import { waysOutOf, waysOutOfFlag, waysOutOfProject } from '../ways-out.ts';
import type { Caller } from './caller.ts';
import { type Rules, type Writable, writtenBy } from './written-by.ts';

/** The verb on an Environment, by its wire name in the namespace of what is written, to change what is in effect there. */
const CHANGE_FLAGS = 'change-flags';

export interface CallerServicesParts extends SharedServices {
  /** Changing what is in effect in an environment needs a permission for that environment. */
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
  const written = <S, T>(resource: Resource<S, T>, rules: Partial<Rules<S, T>> = {}): Writable<S, T> =>
    writtenBy(resource, { caller, taking, deadline, now, alsoNeeds: () => [], waysOut: waysOutOf, ...rules });
  const asked = <S>(
    touched: (write: SpecWrite<S>, name: string) => Touched,
  ): Partial<Pick<Rules<S, unknown>, 'alsoNeeds'>> =>
    environmentPermissions
      ? { alsoNeeds: ({ namespace, name }, write) => changesIn(namespace, touched(write, name)) }
      : {};
  return {
    ...parts,
    caller,
    leaveOut: taking.leaveOut,
    flags: written(flags, {
      ...asked(touchedByFlag),
      takesOver: (flag) => takesOver(parts.catalog.surroundingsOf(flag).project),
      waysOut: waysOutOfFlag,
    }),
    projects: written(projects, { ...asked(touchedByProject), takesOver, waysOut: waysOutOfProject }),
    environments: written(environments, asked(touchedByEnvironment)),
    strategyTypes: written(strategyTypes, asked(touchedByStrategyType)),
    tokens: written(tokens),
  };
}

/** Without a name it is the right to change all of them. */
function changesIn(namespace: string, touched: Touched): readonly Access[] {
  const change = { verb: CHANGE_FLAGS, resource: environment.plural, namespace };
  return touched === 'all' ? [change] : touched.map((name) => ({ ...change, name }));
}
