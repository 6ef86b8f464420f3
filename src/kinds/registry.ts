/** All kinds, each once: the wiring iterates over them. */
import type { MappedKind } from '../audit/derive/kind.ts';
import type { Shapes } from '../audit/derive/shapes.ts';
import type { Cached } from '../catalog/cached.ts';
import type { Resource } from '../kube/write/resource.ts';
import type { KindName, kindsByName, ObjectOf, SpecOf, StatusOf } from '../schema/kinds.ts';
import { tokenDefinition } from './api-token.ts';
import { changeApprovalDefinition } from './change-approval.ts';
import { changeRequestDefinition } from './change-request.ts';
import type { KindDefinition } from './definition.ts';
import { environmentDefinition } from './environment.ts';
import { flagDefinition } from './feature-flag.ts';
import { roleDefinition } from './flag-role.ts';
import { userDefinition } from './flag-user.ts';
import { sinkDefinition } from './notification-sink.ts';
import { projectDefinition } from './project.ts';
import { segmentDefinition } from './segment.ts';
import { strategyTypeDefinition } from './strategy-definition.ts';

export const registry = {
  flags: flagDefinition,
  projects: projectDefinition,
  environments: environmentDefinition,
  users: userDefinition,
  roles: roleDefinition,
  tokens: tokenDefinition,
  strategyTypes: strategyTypeDefinition,
  segments: segmentDefinition,
  changeRequests: changeRequestDefinition,
  changeApprovals: changeApprovalDefinition,
  sinks: sinkDefinition,
} satisfies { readonly [N in KindName]: { readonly kind: (typeof kindsByName)[N] } };

export type IndexOf<N extends KindName> = keyof (typeof registry)[N]['indexes'] & string;

/** The caches of all kinds, each with all its indexes. */
export type IndexedCaches = { readonly [N in KindName]: Cached<ObjectOf<N>, IndexOf<N>> };

/** The caches and calls of all kinds. */
export type Resources = { readonly [N in KindName]: Resource<SpecOf<N>, StatusOf<N>, IndexOf<N>> };

/** The definition of any kind, for code that handles all kinds alike. */
export type AnyDefinition = KindDefinition<unknown, unknown, string>;

export type AnyResource = Resource<unknown, unknown, string>;

export const definitions = Object.entries(registry) as unknown as readonly (readonly [KindName, AnyDefinition])[];

/**
 * Makes a value for each kind, under its name. The caller names the type of the whole: TypeScript cannot express that
 * an object of one kind only meets the definition of the same kind.
 */
export function mapKinds<Whole extends Readonly<Record<KindName, unknown>>>(
  make: (definition: AnyDefinition, name: KindName) => unknown,
): Whole {
  return Object.fromEntries(definitions.map(([name, definition]) => [name, make(definition, name)])) as Whole;
}

/** Maps the changes of every kind to audit events. */
export function auditMappings(shapes: Shapes): readonly MappedKind[] {
  return definitions.map(([, { kind, auditMapping }]) => ({ kind, mapping: auditMapping(shapes) }));
}
