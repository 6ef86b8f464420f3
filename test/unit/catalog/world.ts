/** Caches with the real indexes. Tests put objects into them as the watch does. */
import type { CatalogCaches } from '../../../src/catalog/catalog.ts';
import { emptyStores } from '../../../src/kinds/empty-stores.ts';
import { mapKinds } from '../../../src/kinds/registry.ts';
import type { WatchSink } from '../../../src/kube/cache/watch.ts';
import type { ChangeApprovalSpec } from '../../../src/schema/change-approval.ts';
import type { KindName } from '../../../src/schema/kinds.ts';
import {
  aChangeApproval,
  aChangeRequest,
  aFlag,
  anEnvironment,
  aProject,
  aRole,
  aSegment,
  aStrategyType,
  aToken,
  aUser,
  type Manifest,
} from '../../support/builders.ts';
import { type Facts, stored } from '../domain/objects.ts';

type Sinks = Readonly<Record<KindName, readonly [string, WatchSink]>>;

export type World = ReturnType<typeof aWorld>;

/** The instance has only the environments `development` and `production`. */
export function aWorld() {
  const caches = emptyStores().stores;
  const sinks = new Map<string, WatchSink>(
    Object.values(mapKinds<Sinks>(({ kind }, name) => [kind.kind, caches[name].sink(undefined)])),
  );
  let version = 1;
  const known = new Map<string, ReturnType<typeof stored>>();

  /** Applies a manifest as a new generation, unless the facts say otherwise. */
  function apply(manifest: Manifest, facts: Facts = {}): void {
    version += 1;
    const place = `${manifest.kind} ${manifest.metadata.namespace}/${manifest.metadata.name}`;
    const generation = (known.get(place)?.metadata.generation ?? 0) + 1;
    const raw = stored(manifest, { generation, ...facts, resourceVersion: String(version) });
    known.set(place, raw);
    sinks.get(raw.kind)?.applied(raw);
  }

  const applied = (make: (place: string, spec: object) => Manifest) => {
    return (place: string, spec: object = {}, facts?: Facts) => apply(make(place, spec), facts);
  };
  /** For each kind that the catalog reads. */
  const appliers = {
    flags: applied(aFlag),
    projects: applied(aProject),
    environments: applied(anEnvironment),
    users: applied(aUser),
    roles: applied(aRole),
    tokens: applied(aToken),
    strategyTypes: applied(aStrategyType),
    segments: applied(aSegment),
    changeRequests: (place: string, flag: string, spec: object = {}, facts?: Facts) =>
      apply(aChangeRequest(place, flag, spec), facts),
    changeApprovals: (place: string, request: ChangeApprovalSpec['request'], spec: object = {}, facts?: Facts) =>
      apply(aChangeApproval(place, request, spec), facts),
  } satisfies Readonly<Record<keyof CatalogCaches, unknown>>;

  const world = {
    caches,
    flag: appliers.flags,
    project: appliers.projects,
    environment: appliers.environments,
    user: appliers.users,
    role: appliers.roles,
    token: appliers.tokens,
    strategy: appliers.strategyTypes,
    segment: appliers.segments,
    request: appliers.changeRequests,
    approval: appliers.changeApprovals,
    /** Puts the same spec under a new version, as after a write of its status. */
    touch(place: string): void {
      const raw = find(place);
      const { generation, creationTimestamp } = raw.metadata;
      apply(raw, { generation, creationTimestamp, status: raw.status });
    },
    /** Writes the status of a judged object with this id. */
    number(place: string, id: number): void {
      const raw = find(place);
      const { generation, creationTimestamp } = raw.metadata;
      apply(raw, { generation, creationTimestamp, status: { id } });
    },
    /** Removes an object. `place` is like `Project home/shop`. */
    remove(place: string): void {
      version += 1;
      const raw = find(place);
      known.delete(place);
      const deleted = { ...raw, metadata: { ...raw.metadata, resourceVersion: String(version) } };
      sinks.get(raw.kind)?.deleted(deleted);
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
