/** The kinds, each once: their names in the program, and the types that follow from them. */
import type { Kind } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { apiToken } from './api-token.ts';
import { changeApproval } from './change-approval.ts';
import { changeRequest } from './change-request.ts';
import { environment } from './environment.ts';
import { featureFlag } from './feature-flag.ts';
import { flagRole } from './flag-role.ts';
import { flagUser } from './flag-user.ts';
import { notificationSink } from './notification-sink.ts';
import { project } from './project.ts';
import { segment } from './segment.ts';
import { strategyDefinition } from './strategy-definition.ts';

export const kindsByName = {
  flags: featureFlag,
  projects: project,
  environments: environment,
  users: flagUser,
  roles: flagRole,
  tokens: apiToken,
  strategyTypes: strategyDefinition,
  segments: segment,
  changeRequests: changeRequest,
  changeApprovals: changeApproval,
  sinks: notificationSink,
} as const;

export const kinds = Object.values(kindsByName);

/** The names of a kind's caches, queues and resources. */
export type KindName = keyof typeof kindsByName;

const namesByPlural: ReadonlyMap<string, KindName> = new Map(
  (Object.keys(kindsByName) as KindName[]).map((name) => [kindsByName[name].plural, name]),
);

/** The name of the kind with this plural; undefined if there is none. */
export function kindNameOf(plural: string): KindName | undefined {
  return namesByPlural.get(plural);
}

/** The objects of a kind refer to no kind with a higher number. */
const LEVELS: Readonly<Record<KindName, number>> = {
  environments: 0,
  strategyTypes: 0,
  roles: 0,
  users: 1,
  projects: 2,
  segments: 3,
  tokens: 3,
  flags: 4,
  sinks: 5,
  changeRequests: 5,
  changeApprovals: 6,
};

/** All kinds, each after the kinds that its objects refer to. */
export const kindsAfterReferences: readonly KindName[] = (Object.keys(LEVELS) as KindName[]).toSorted(
  (one, other) => LEVELS[one] - LEVELS[other],
);

export type SpecOf<N extends KindName> = (typeof kindsByName)[N] extends Kind<infer S, unknown> ? S : never;
export type StatusOf<N extends KindName> = (typeof kindsByName)[N] extends Kind<unknown, infer T> ? T : never;
export type ObjectOf<N extends KindName> = CustomObject<SpecOf<N>, StatusOf<N>>;

/** The kinds that decide about flags: the history keeps each version of their objects. */
export const decidingKindNames = ['flags', 'projects', 'environments', 'strategyTypes', 'segments'] as const;

export type DecidingKindName = (typeof decidingKindNames)[number];

/** A value for each of these kinds: a new kind does not compile without its own. */
export type OfDecidingKinds<V> = Readonly<Record<DecidingKindName, V>>;

export const decidingPlurals: readonly string[] = decidingKindNames.map((name) => kindsByName[name].plural);

/** Whether objects of the kind decide about flags. */
export function decides(resource: string): boolean {
  return decidingPlurals.includes(resource);
}
