/** The services of an endpoint on behalf of one caller. */

import { type Rules, type Writable, writtenBy } from '../access/authorized-writes.ts';
import type { Caller } from '../access/caller.ts';
import type { ForceContext } from '../access/force-context.ts';
import { refusingFrozen } from '../access/refuse-frozen.ts';
import type { RequestDeadline } from '../access/request-deadline.ts';
import { CHANGE_FLAGS } from '../access/requirements.ts';
import type { Catalog } from '../catalog/catalog.ts';
import {
  type SpecWrite,
  type Touched,
  touchedByEnvironment,
  touchedByFlag,
  touchedByProject,
  touchedBySegment,
  touchedByStrategyType,
} from '../domain/flag/environments-touched.ts';
import { takesOver } from '../domain/project/takes-over.ts';
import type { Access } from '../kube/api/reviews.ts';
import type { SecretsClient } from '../kube/api/secrets.ts';
import type { Resource } from '../kube/write/resource.ts';
import type { CustomObject } from '../model/object.ts';
import type { Timings } from '../model/timings.ts';
import type { ApiTokenSpec, ApiTokenStatus } from '../schema/api-token.ts';
import type { EnvironmentSpec, EnvironmentStatus } from '../schema/environment.ts';
import { environment } from '../schema/environment.ts';
import type { News } from '../schema/event.ts';
import type { FeatureFlag, FlagSpec, FlagStatus } from '../schema/feature-flag.ts';
import type { ProjectSpec, ProjectStatus } from '../schema/project.ts';
import type { SegmentSpec, SegmentStatus } from '../schema/segment.ts';
import type { StrategyDefinitionSpec, StrategyDefinitionStatus } from '../schema/strategy-definition.ts';
import type { Logger } from '../telemetry/logger.ts';
import { remediationOf, remediationOfFlag, remediationOfProject } from './remediation.ts';

/** The services that all callers share. */
export interface SharedServices {
  readonly catalog: Catalog;
  readonly flags: Resource<FlagSpec, FlagStatus>;
  readonly projects: Resource<ProjectSpec, ProjectStatus>;
  readonly environments: Resource<EnvironmentSpec, EnvironmentStatus>;
  /** Strategy definitions; built-in types are in the catalog only. */
  readonly strategyTypes: Resource<StrategyDefinitionSpec, StrategyDefinitionStatus>;
  readonly tokens: Resource<ApiTokenSpec, ApiTokenStatus>;
  readonly segments: Resource<SegmentSpec, SegmentStatus>;
  /** The Secrets with the values of tokens. */
  readonly secrets: Pick<SecretsClient, 'read'>;
  /** The operator namespace, which has all objects except projects, flags and segments of other namespaces. */
  readonly home: string;
  /** Whether flags may be in several namespaces, so that a new name must be compared across them. */
  readonly severalNamespaces: boolean;
  /** The namespaces of projects, flags and segments; `*`: all. */
  readonly watchNamespaces: '*' | readonly string[];
  /** Whether a change of flags in an environment needs a permission for that environment. */
  readonly environmentPermissions: boolean;
  /** Publishes a Kubernetes Event about a flag. An Event that cannot be published delays nothing. */
  readonly publishNews: (flag: FeatureFlag, news: News) => Promise<void>;
  readonly newId: () => string;
  /** In ms since 1970. */
  readonly now: () => number;
  /** Aborts when this replica stops: waiting requests must be answered. */
  readonly ending: AbortSignal;
  readonly timings: Timings;
  readonly logger: Logger;
}

type Written = 'flags' | 'projects' | 'environments' | 'strategyTypes' | 'tokens' | 'segments';

/** The services on behalf of one caller. */
export type Services<Shared extends SharedServices = SharedServices> = Omit<Shared, Written> & {
  readonly [K in Written]: SharedServices[K] extends Resource<infer S, infer T> ? Writable<S, T> : never;
} & {
  readonly caller: Caller;
  readonly leaveOut: ForceContext['leaveOut'];
  readonly force: Pick<ForceContext, 'isForced' | 'noteAsked'>;
};

/** The caller, its handling of ownership conflicts, and the deadline of its writes. */
export interface Calling {
  readonly caller: Caller;
  readonly force: ForceContext;
  readonly deadline: RequestDeadline;
  /** Receives each object in its state after a write, or after the dry run of one. */
  readonly noteWritten?: ((written: WrittenObject) => void) | undefined;
}

export interface WrittenObject {
  readonly kind: string;
  readonly object: Pick<CustomObject<unknown, unknown>, 'metadata' | 'spec'>;
}

/**
 * The services that all callers share are inherited, and the writer of a kind is made when first used: most requests
 * only read.
 */
export function servicesFor<Shared extends SharedServices>(parts: Shared): (calling: Calling) => Services<Shared> {
  const { environmentPermissions, now, catalog, flags, projects, environments, strategyTypes, tokens, segments } =
    parts;
  const requiring = <S>(touched: (write: SpecWrite<S>, name: string) => Touched): Rules<S, unknown>['extraAccess'] =>
    environmentPermissions ? ({ namespace, name }, write) => changesIn(namespace, touched(write, name)) : () => [];
  const rules = {
    flags: {
      extraAccess: requiring(touchedByFlag),
      refuse: refusingFrozen(catalog),
      takesOver: (flag: Parameters<Catalog['flagContextOf']>[0]) => takesOver(catalog.flagContextOf(flag).project),
      remediation: remediationOfFlag,
    },
    projects: { extraAccess: requiring(touchedByProject), takesOver, remediation: remediationOfProject },
    environments: { extraAccess: requiring(touchedByEnvironment), remediation: remediationOf },
    strategyTypes: { extraAccess: requiring(touchedByStrategyType), remediation: remediationOf },
    tokens: { extraAccess: () => [], remediation: remediationOf },
    segments: { extraAccess: requiring(touchedBySegment), remediation: remediationOf },
  };
  const writer = <S, T>(
    name: Written,
    make: (calling: Calling) => Writable<S, T>,
  ): PropertyDescriptor & ThisType<{ readonly calling: Calling }> => ({
    get() {
      const value = make(this.calling);
      Object.defineProperty(this, name, { value });
      return value;
    },
  });
  const write =
    <S, T>(resource: Resource<S, T>, rulesOfKind: Rules<S, T>) =>
    (calling: Calling): Writable<S, T> =>
      noting(resource.kind.kind, writtenBy(resource, { ...calling, now, ...rulesOfKind }), calling);
  const inherited = Object.create(parts, {
    flags: writer('flags', write(flags, rules.flags)),
    projects: writer('projects', write(projects, rules.projects)),
    environments: writer('environments', write(environments, rules.environments)),
    strategyTypes: writer('strategyTypes', write(strategyTypes, rules.strategyTypes)),
    tokens: writer('tokens', write(tokens, rules.tokens)),
    segments: writer('segments', write(segments, rules.segments)),
  });
  return (calling) => {
    const { caller, force } = calling;
    return Object.assign(Object.create(inherited), { calling, caller, force, leaveOut: force.leaveOut });
  };
}

/** Passes the result of each write to `noteWritten`. */
function noting<S, T>(kind: string, writer: Writable<S, T>, { noteWritten }: Calling): Writable<S, T> {
  if (!noteWritten) return writer;
  const noted = <O extends CustomObject<S, T>>(object: O): O => {
    noteWritten({ kind, object });
    return object;
  };
  return {
    ...writer,
    create: async (...call) => noted(await writer.create(...call)),
    change: async (...call) => noted(await writer.change(...call)),
    async claimFields(...call) {
      const claimed = await writer.claimFields(...call);
      noted(claimed.object);
      return claimed;
    },
  };
}

/** Access without a name covers all environments. */
function changesIn(namespace: string, touched: Touched): readonly Access[] {
  const change = { verb: CHANGE_FLAGS, resource: environment.plural, namespace };
  return touched === 'all' ? [change] : touched.map((name) => ({ ...change, name }));
}
