/** The services of an endpoint on behalf of one caller. */

import { type Rules, type Writable, writtenBy } from '../access/authorized-writes.ts';
import type { Caller } from '../access/caller.ts';
import type { ForceContext } from '../access/force-context.ts';
import type { RequestDeadline } from '../access/request-deadline.ts';
import type { Catalog } from '../catalog/catalog.ts';
import {
  type SpecWrite,
  type Touched,
  touchedByEnvironment,
  touchedByFlag,
  touchedByProject,
  touchedByStrategyType,
} from '../domain/flag/environments-touched.ts';
import { takesOver } from '../domain/project/takes-over.ts';
import type { Access } from '../kube/api/reviews.ts';
import type { SecretsClient } from '../kube/api/secrets.ts';
import type { Resource } from '../kube/write/resource.ts';
import type { Timings } from '../model/timings.ts';
import type { ApiTokenSpec, ApiTokenStatus } from '../schema/api-token.ts';
import type { EnvironmentSpec, EnvironmentStatus } from '../schema/environment.ts';
import { environment } from '../schema/environment.ts';
import type { FlagSpec, FlagStatus } from '../schema/feature-flag.ts';
import type { ProjectSpec, ProjectStatus } from '../schema/project.ts';
import type { StrategyDefinitionSpec, StrategyDefinitionStatus } from '../schema/strategy-definition.ts';
import type { Logger } from '../telemetry/logger.ts';
import { remediationOf, remediationOfFlag, remediationOfProject } from './remediation.ts';

/** The verb on an Environment that permits changes of flags in it. Name: its wire name; namespace: that of the written object. */
const CHANGE_FLAGS = 'change-flags';

/** The services that all callers share. */
export interface SharedServices {
  readonly catalog: Catalog;
  readonly flags: Resource<FlagSpec, FlagStatus>;
  readonly projects: Resource<ProjectSpec, ProjectStatus>;
  readonly environments: Resource<EnvironmentSpec, EnvironmentStatus>;
  /** Strategy definitions; built-in types are in the catalog only. */
  readonly strategyTypes: Resource<StrategyDefinitionSpec, StrategyDefinitionStatus>;
  readonly tokens: Resource<ApiTokenSpec, ApiTokenStatus>;
  /** The Secrets with the values of tokens. */
  readonly secrets: Pick<SecretsClient, 'read'>;
  /** The operator namespace, which has all objects except projects, flags and segments of other namespaces. */
  readonly home: string;
  /** Whether flags may be in several namespaces, so that a new name must be compared across them. */
  readonly severalNamespaces: boolean;
  /** The namespaces of projects, flags and segments; `*`: all. */
  readonly watchNamespaces: '*' | readonly string[];
  readonly newId: () => string;
  /** In ms since 1970. */
  readonly now: () => number;
  /** Aborts when this replica stops: waiting requests must be answered. */
  readonly ending: AbortSignal;
  readonly timings: Timings;
  readonly logger: Logger;
}

type Written = 'flags' | 'projects' | 'environments' | 'strategyTypes' | 'tokens';

/** The services on behalf of one caller. */
export type Services<Shared extends SharedServices = SharedServices> = Omit<Shared, Written> & {
  readonly [K in Written]: SharedServices[K] extends Resource<infer S, infer T> ? Writable<S, T> : never;
} & { readonly caller: Caller; readonly leaveOut: ForceContext['leaveOut'] };

interface CallerServicesOptions {
  /** Whether a change of flags in an environment needs a permission for that environment. */
  readonly environmentPermissions: boolean;
}

/** The caller, its handling of ownership conflicts, and the deadline of its writes. */
export interface Calling {
  readonly caller: Caller;
  readonly force: ForceContext;
  readonly deadline: RequestDeadline;
}

export function servicesFor<Shared extends SharedServices>(
  parts: Shared & CallerServicesOptions,
  { caller, force, deadline }: Calling,
): Services<Shared> {
  const { environmentPermissions, now, flags, projects, environments, strategyTypes, tokens } = parts;
  const written = <S, T>(resource: Resource<S, T>, rules: Partial<Rules<S, T>> = {}): Writable<S, T> =>
    writtenBy(resource, { caller, force, deadline, now, extraAccess: () => [], remediation: remediationOf, ...rules });
  const requiring = <S>(
    touched: (write: SpecWrite<S>, name: string) => Touched,
  ): Partial<Pick<Rules<S, unknown>, 'extraAccess'>> =>
    environmentPermissions
      ? { extraAccess: ({ namespace, name }, write) => changesIn(namespace, touched(write, name)) }
      : {};
  return {
    ...parts,
    caller,
    leaveOut: force.leaveOut,
    flags: written(flags, {
      ...requiring(touchedByFlag),
      takesOver: (flag) => takesOver(parts.catalog.flagContextOf(flag).project),
      remediation: remediationOfFlag,
    }),
    projects: written(projects, { ...requiring(touchedByProject), takesOver, remediation: remediationOfProject }),
    environments: written(environments, requiring(touchedByEnvironment)),
    strategyTypes: written(strategyTypes, requiring(touchedByStrategyType)),
    tokens: written(tokens),
  };
}

/** Access without a name covers all environments. */
function changesIn(namespace: string, touched: Touched): readonly Access[] {
  const change = { verb: CHANGE_FLAGS, resource: environment.plural, namespace };
  return touched === 'all' ? [change] : touched.map((name) => ({ ...change, name }));
}
