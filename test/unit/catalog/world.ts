/** Caches with the real indexes, into which tests put objects as the watch would. */
import {
  environmentIndexes,
  flagIndexes,
  projectIndexes,
  roleIndexes,
  strategyIndexes,
  tokenIndexes,
  userIndexes,
} from '../../../src/catalog/indexes.ts';
import { createStore } from '../../../src/kube/store.ts';
import { apiToken } from '../../../src/schema/api-token.ts';
import { environment } from '../../../src/schema/environment.ts';
import { featureFlag } from '../../../src/schema/feature-flag.ts';
import { flagRole } from '../../../src/schema/flag-role.ts';
import { flagUser } from '../../../src/schema/flag-user.ts';
import { project } from '../../../src/schema/project.ts';
import { strategyDefinition } from '../../../src/schema/strategy-definition.ts';
import {
  aFlag,
  anEnvironment,
  aProject,
  aRole,
  aStrategyType,
  aToken,
  aUser,
  type Manifest,
} from '../../support/builders.ts';
import { type Facts, stored } from '../domain/objects.ts';

export type World = ReturnType<typeof aWorld>;

/** The instance knows the environments `development` and `production`, nothing else. */
export function aWorld() {
  const onFault = (error: unknown) => {
    throw error;
  };
  const caches = {
    flags: createStore({ kind: featureFlag, indexes: flagIndexes, onFault }),
    projects: createStore({ kind: project, indexes: projectIndexes, onFault }),
    environments: createStore({ kind: environment, indexes: environmentIndexes, onFault }),
    users: createStore({ kind: flagUser, indexes: userIndexes, onFault }),
    roles: createStore({ kind: flagRole, indexes: roleIndexes, onFault }),
    tokens: createStore({ kind: apiToken, indexes: tokenIndexes, onFault }),
    strategies: createStore({ kind: strategyDefinition, indexes: strategyIndexes, onFault }),
  };
  const sinks = {
    FeatureFlag: caches.flags.sink(undefined),
    Project: caches.projects.sink(undefined),
    Environment: caches.environments.sink(undefined),
    FlagUser: caches.users.sink(undefined),
    FlagRole: caches.roles.sink(undefined),
    ApiToken: caches.tokens.sink(undefined),
    StrategyDefinition: caches.strategies.sink(undefined),
  };
  for (const sink of Object.values(sinks)) {
    sink.begin(false);
    sink.swap('1');
  }
  let version = 1;
  const known = new Map<string, ReturnType<typeof stored>>();

  /** A new generation, unless the facts say otherwise. */
  function apply(manifest: Manifest, facts: Facts = {}): void {
    version += 1;
    const place = `${manifest.kind} ${manifest.metadata.namespace}/${manifest.metadata.name}`;
    const generation = (known.get(place)?.metadata.generation ?? 0) + 1;
    const raw = stored(manifest, { generation, ...facts, resourceVersion: String(version) });
    known.set(place, raw);
    sinks[raw.kind as keyof typeof sinks].applied(raw);
  }

  const world = {
    caches,
    flag: (place: string, spec: object = {}, facts?: Facts) => apply(aFlag(place, spec), facts),
    project: (place: string, spec: object = {}, facts?: Facts) => apply(aProject(place, spec), facts),
    environment: (place: string, spec: object = {}, facts?: Facts) => apply(anEnvironment(place, spec), facts),
    user: (place: string, spec: object = {}, facts?: Facts) => apply(aUser(place, spec), facts),
    role: (place: string, spec: object = {}, facts?: Facts) => apply(aRole(place, spec), facts),
    token: (place: string, spec: object = {}, facts?: Facts) => apply(aToken(place, spec), facts),
    strategy: (place: string, spec: object = {}, facts?: Facts) => apply(aStrategyType(place, spec), facts),
    /** The same spec under a new version, as after a write of its status. */
    touch(place: string): void {
      const raw = find(place);
      const { generation, creationTimestamp } = raw.metadata;
      apply(raw, { generation, creationTimestamp, status: raw.status });
    },
    /** The operator has judged it, and given it this id. */
    number(place: string, id: number): void {
      const raw = find(place);
      const { generation, creationTimestamp } = raw.metadata;
      apply(raw, { generation, creationTimestamp, status: { id } });
    },
    /** `place` is like `Project home/shop`. */
    remove(place: string): void {
      version += 1;
      const raw = find(place);
      known.delete(place);
      const deleted = { ...raw, metadata: { ...raw.metadata, resourceVersion: String(version) } };
      sinks[raw.kind as keyof typeof sinks].deleted(deleted);
    },
  };
  function find(place: string) {
    const raw = known.get(place);
    if (!raw) throw new Error(`there is no ${place}`);
    return raw;
  }
  world.environment('home/development', { sortOrder: 1 });
  world.environment('home/production', { sortOrder: 2 });
  return world;
}
