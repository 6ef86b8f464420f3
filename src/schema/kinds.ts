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

export type SpecOf<N extends KindName> = (typeof kindsByName)[N] extends Kind<infer S, unknown> ? S : never;
export type StatusOf<N extends KindName> = (typeof kindsByName)[N] extends Kind<unknown, infer T> ? T : never;
export type ObjectOf<N extends KindName> = CustomObject<SpecOf<N>, StatusOf<N>>;

/** The plurals of the kinds that decide about flags: the history keeps each version of their objects. */
export const decidingKinds: readonly string[] = [featureFlag, project, environment, strategyDefinition, segment].map(
  ({ plural }) => plural,
);

/** Whether objects of the kind decide about flags. */
export function decides(resource: string): boolean {
  return decidingKinds.includes(resource);
}
