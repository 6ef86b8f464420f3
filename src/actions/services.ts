/** The services of an endpoint on behalf of one caller. */

import {
  type RequestDeadline,
  type Rules,
  type Writable,
  writtenBy,
} from '../access/authorization/authorized-writes.ts';
import type { ForceContext } from '../access/authorization/force-context.ts';
import { createGuards, refuseNothing } from '../access/authorization/guards.ts';
import { CHANGE_FLAGS } from '../access/authorization/requirements.ts';
import type { Caller } from '../access/caller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import {
  type SpecWrite,
  type Touched,
  touchedByEnvironment,
  touchedByFlag,
  touchedByProject,
  touchedBySegment,
  touchedByStrategyType,
} from '../domain/flag/edit/environments-touched.ts';
import { takesOver } from '../domain/project/takes-over.ts';
import type { Access } from '../kube/api/reviews.ts';
import type { SecretsClient } from '../kube/api/secrets.ts';
import type { Resource } from '../kube/write/resource.ts';
import type { AnyObject, CustomObject } from '../model/object.ts';
import type { Timings } from '../model/settings/timings.ts';
import { environment } from '../schema/environment.ts';
import type { EventContent } from '../schema/event.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { KindName, SpecOf, StatusOf } from '../schema/kinds.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { AnswerNotes } from './answer-notes.ts';
import { remediationOf, remediationOfFlag, remediationOfProject } from './remediation.ts';

/** The kinds that callers write. */
type WrittenKind = Exclude<KindName, 'users' | 'roles' | 'sinks'>;

/** The caches and calls of these kinds. */
export type WritableResources = { readonly [K in WrittenKind]: Resource<SpecOf<K>, StatusOf<K>> };

/** The same on behalf of one caller. Built-in strategy types are in the catalog only. */
export type Writers = { readonly [K in WrittenKind]: Writable<SpecOf<K>, StatusOf<K>> };

/** The services that all callers share. */
export interface SharedServices {
  readonly catalog: Catalog;
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
  /** The base of links; undefined: links are paths. */
  readonly publicUrl: string | undefined;
  /** Publishes a Kubernetes Event about a flag. An Event that cannot be published delays nothing. */
  readonly publishEvent: (flag: FeatureFlag, content: EventContent) => Promise<void>;
  readonly newId: () => string;
  /** In ms since 1970. */
  readonly now: () => number;
  /** The `traceparent` of the running request; undefined if it is not traced. */
  readonly trace: () => string | undefined;
  /** Aborts when this replica stops: waiting requests must be answered. */
  readonly ending: AbortSignal;
  readonly timings: Timings;
  readonly logger: Logger;
}

/** What one request adds to the services that all share. */
export interface CallerServices extends Writers {
  readonly caller: Caller;
  readonly force: Pick<ForceContext, 'isForced'>;
  /** Why the caller makes the change; undefined if the caller does not say. */
  readonly reason: string | undefined;
  readonly notes: AnswerNotes;
}

/** The services on behalf of one caller. */
export interface Services extends SharedServices, CallerServices {}

/** The caller, its handling of ownership conflicts, and the deadline of its writes. */
export interface Calling extends Pick<CallerServices, 'caller' | 'reason' | 'notes'> {
  readonly force: ForceContext;
  readonly deadline: RequestDeadline;
  /** Receives each object in its state after a write, or after the dry run of one. */
  readonly noteWritten?: ((written: WrittenObject) => void) | undefined;
}

export interface WrittenObject {
  readonly kind: string;
  readonly object: Pick<AnyObject, 'metadata' | 'spec'>;
}

/** The writer of a kind is made when it is first used: most requests only read. */
export function servicesFor<Shared extends SharedServices>(
  shared: Shared,
  resources: WritableResources,
): (calling: Calling) => Shared & CallerServices {
  const { catalog, environmentPermissions, publicUrl, now, trace } = shared;
  const requiring = <S>(touched: (write: SpecWrite<S>, name: string) => Touched): Rules<S, unknown>['extraAccess'] =>
    environmentPermissions ? ({ namespace, name }, write) => changesIn(namespace, touched(write, name)) : () => [];
  const guards = createGuards(catalog, publicUrl);
  const rules: { readonly [K in WrittenKind]: Rules<SpecOf<K>, StatusOf<K>> } = {
    flags: {
      extraAccess: requiring(touchedByFlag),
      refuse: guards.flags,
      takesOver: (flag) => takesOver(catalog.flagContextOf(flag).project),
      remediation: remediationOfFlag,
    },
    projects: {
      extraAccess: requiring(touchedByProject),
      refuse: guards.projects,
      takesOver,
      remediation: remediationOfProject,
    },
    environments: {
      extraAccess: requiring(touchedByEnvironment),
      refuse: guards.environments,
      remediation: remediationOf,
    },
    strategyTypes: {
      extraAccess: requiring(touchedByStrategyType),
      refuse: guards.strategyTypes,
      remediation: remediationOf,
    },
    tokens: { extraAccess: () => [], refuse: refuseNothing, remediation: remediationOf },
    segments: { extraAccess: requiring(touchedBySegment), refuse: guards.segments, remediation: remediationOf },
    changeRequests: { extraAccess: () => [], refuse: refuseNothing, remediation: remediationOf },
    changeApprovals: { extraAccess: () => [], refuse: refuseNothing, remediation: remediationOf },
  };
  return (calling) => {
    const made: { -readonly [K in WrittenKind]?: Writers[K] } = {};
    const write = <S, T>(resource: Resource<S, T>, rulesOfKind: Rules<S, T>) =>
      noting(resource.kind.kind, writtenBy(resource, { ...calling, now, trace, ...rulesOfKind }), calling);
    return {
      ...shared,
      ...ofCaller(calling),
      get flags() {
        made.flags ??= write(resources.flags, rules.flags);
        return made.flags;
      },
      get projects() {
        made.projects ??= write(resources.projects, rules.projects);
        return made.projects;
      },
      get environments() {
        made.environments ??= write(resources.environments, rules.environments);
        return made.environments;
      },
      get strategyTypes() {
        made.strategyTypes ??= write(resources.strategyTypes, rules.strategyTypes);
        return made.strategyTypes;
      },
      get tokens() {
        made.tokens ??= write(resources.tokens, rules.tokens);
        return made.tokens;
      },
      get segments() {
        made.segments ??= write(resources.segments, rules.segments);
        return made.segments;
      },
      get changeRequests() {
        made.changeRequests ??= write(resources.changeRequests, rules.changeRequests);
        return made.changeRequests;
      },
      get changeApprovals() {
        made.changeApprovals ??= write(resources.changeApprovals, rules.changeApprovals);
        return made.changeApprovals;
      },
    };
  };
}

/** What handlers see of the caller; the rest is for its writers. */
function ofCaller({ caller, force, reason, notes }: Calling): Omit<CallerServices, WrittenKind> {
  return { caller, force, reason, notes };
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
