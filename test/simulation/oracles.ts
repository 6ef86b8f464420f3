/** What must be true at the end of every run. */
import { publications } from '../../src/audit/archive/entry-rows.ts';
import type { EntriesTable } from '../../src/audit/archive/tables.ts';
import { createDerivation } from '../../src/audit/derive/derive.ts';
import type { Derive } from '../../src/audit/derive/kind.ts';
import { historyShapes } from '../../src/audit/derive/shapes.ts';
import { stampedAuthorOf } from '../../src/domain/identity/author.ts';
import { auditMappings, definitions } from '../../src/kinds/registry.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { isRecord } from '../../src/model/json.ts';
import type { SnapshotQuery } from '../../src/wire/client/document.ts';
import type { KubeObject, Write } from './cluster/etcd.ts';
import { placeOf, prefixOf } from './cluster/resources.ts';
import { EPOCH, HOME, type SimulatedReplica } from './replica.ts';
import type { World } from './world.ts';

const kinds = definitions.map(([name, { kind }]) => ({ name, kind }));

const all = { environment: 'production', projects: undefined } satisfies SnapshotQuery;

export function stored(world: World, plural: string): readonly KubeObject[] {
  const { resource } = placeOf(`/apis/vexil.dev/v1beta1/namespaces/${HOME}/${plural}`);
  return world.namespaces.flatMap((namespace) => world.server.etcd.list(prefixOf(resource, namespace)));
}

/** Each cache has the objects of the API server, in their present versions. */
export function cachesEqualStore(world: World): readonly string[] {
  return world.running().flatMap(({ actor, platform }) =>
    kinds.flatMap(({ name, kind }) => {
      const cached = [...platform.cluster.caches[name].all()].map(versionOf).sort();
      const wanted = stored(world, kind.plural).map(versionOf).sort();
      return `${cached}` === `${wanted}`
        ? []
        : [`${actor.name} has ${kind.plural} ${cached}, the API server ${wanted}`];
    }),
  );
}

function versionOf({ metadata: { namespace, name, resourceVersion } }: Pick<KubeObject, 'metadata'>): string {
  return `${namespace}/${name}@${resourceVersion}`;
}

/** Every object was judged in its present generation. */
export function statusesConverged(world: World): readonly string[] {
  return kinds.flatMap(({ kind }) =>
    stored(world, kind.plural).flatMap(({ metadata, status }) => {
      const seen = (status as { observedGeneration?: number } | undefined)?.observedGeneration;
      return seen === metadata.generation ? [] : [`${metadata.name} is at ${metadata.generation}, judged at ${seen}`];
    }),
  );
}

/** No addition of a caller is lost, and none is made twice. */
export function nothingLost(world: World): readonly string[] {
  if (world.isRestored) return [];
  const flags = stored(world, 'featureflags');
  return flags.flatMap(({ metadata: { uid, name }, spec }) => {
    const { certain = 0, uncertain = 0 } = world.counted.get(uid) ?? {};
    const found = Number((spec as { description?: string }).description ?? 0);
    const isRight = certain <= found && found <= certain + uncertain;
    return isRight ? [] : [`${name} counted ${found}, but ${certain} additions succeeded, and ${uncertain} may have`];
  });
}

/** A client that follows the flags of an environment by deltas. */
export interface DeltaClient {
  read(replica: SimulatedReplica): void;
  /** The flags as text. */
  state(): string;
}

interface DeltaEvent {
  readonly type: string;
  readonly feature?: { readonly name: string };
  readonly features?: readonly { readonly name: string }[];
  readonly featureName?: string;
}

export function createDeltaClient(): DeltaClient {
  const flags = new Map<string, string>();
  let known: string | undefined;
  const take = ({ type, feature, features = feature ? [feature] : [], featureName }: DeltaEvent): void => {
    if (type === 'hydration') flags.clear();
    for (const one of features) flags.set(one.name, JSON.stringify(one));
    if (featureName !== undefined) flags.delete(featureName);
  };
  return {
    read({ feeds }) {
      const feed = feeds.of(all);
      const number = known === undefined ? undefined : feed.numberOf(known);
      const { pieces, id } = (number === undefined ? undefined : feed.since(number)) ?? feed.hydration();
      for (const event of JSON.parse(Buffer.concat(pieces).toString()).events) take(event);
      known = id;
    },
    state: () => [...flags.values()].sort().join('\n'),
  };
}

/** A client that follows by deltas has what a new one gets. */
export function deltasAddUp(world: World, clients: ReadonlyMap<SimulatedReplica, DeltaClient>): readonly string[] {
  return world.running().flatMap((replica) => {
    const client = clients.get(replica);
    if (client === undefined) return [];
    client.read(replica);
    const fresh = createDeltaClient();
    fresh.read(replica);
    return client.state() === fresh.state()
      ? []
      : [`a client of ${replica.actor.name} has ${client.state()}, not ${fresh.state()}`];
  });
}

type Row = Pick<
  EntriesTable,
  'uid' | 'type' | 'environment' | 'subject' | 'to_version' | 'created_at' | 'earliest_at' | 'created_by'
>;

/** A step is seen at most this much later than it was written, or its object says when it was written. */
const SEEN_WITHIN_MS = 10_000;
const WITHIN_SECOND_MS = 1_000;

/** The history knows the present spec of each object, and nothing of those that are gone. */
export function archiveKnowsStore(world: World): readonly string[] {
  const known = world.database.states().map(({ uid, object }) => `${uid} ${specIn(JSON.parse(object))}`);
  const wanted = kinds.flatMap(({ kind }) =>
    stored(world, kind.plural).map((object) => `${object.metadata.uid} ${specIn(object)}`),
  );
  const missing = wanted.filter((one) => !known.includes(one));
  const left = known.filter((one) => !wanted.includes(one));
  return missing.length + left.length === 0 ? [] : [`the history lacks ${missing}, and has ${left}`];
}

function specIn(object: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(object['spec'], (_, value) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  );
}

/** Each entry was published. */
export function allPublished(entries: readonly { readonly key: string; readonly publication: number }[]) {
  const waiting = entries.filter(({ publication }) => publication !== publications.published);
  return waiting.map(({ key }) => `the entry ${key} has no Event`);
}

/** Each change is in the history once, at its version, with its author and its time. */
export function historyEqualsVersions(world: World, entries: readonly Row[]): readonly string[] {
  if (world.isRestored || world.hasGaps) return [];
  const [replica] = world.running();
  if (replica === undefined) return ['no replica runs'];
  const { derive } = createDerivation(auditMappings(historyShapes(replica.platform.catalog)), () => false);
  const recorded = Map.groupBy(entries, ({ uid }) => uid);
  return world.server.etcd
    .since(world.recordedFrom)
    .filter(isChange)
    .flatMap((write) => complaintsAboutWrite(write, recorded, derive));
}

function complaintsAboutWrite(
  { before, after, revision }: Write,
  recorded: ReadonlyMap<string, readonly Row[]>,
  derive: Derive,
): readonly string[] {
  const known = after ?? before;
  const kind = kinds.find((one) => one.kind.kind === known?.kind)?.kind;
  if (known === undefined || kind === undefined) return [];
  const parsed = { before: before && parseObject(kind, before), after: after && parseObject(kind, after) };
  const wanted = derive({ resource: kind.plural, ...parsed }).filter(({ moment }) => moment === undefined);
  const rows = (recorded.get(known.metadata.uid) ?? []).filter(({ type, to_version: to }) =>
    after === undefined ? isDeletion(type) : !isDeletion(type) && to === `${revision}`,
  );
  const want = wanted.map(factsOf).sort();
  const have = rows.map(factsOf).sort();
  const place = `${kind.kind} ${known.metadata.name}@${revision}`;
  return [
    ...(`${want}` === `${have}` ? [] : [`${place}: wanted ${want}; recorded ${have}`]),
    ...(after ? rows.flatMap((row) => complaintsAbout(row, after)) : []),
  ];
}

function factsOf({ type, environment, subject }: Pick<Row, 'type' | 'environment' | 'subject'>): string {
  return `${type}/${environment}/${subject}`;
}

/** The entry of a deletion has the last version of the object. */
function isDeletion(type: string): boolean {
  return /^(feature|project|environment|segment)-deleted$/.test(type);
}

function isChange({ key, before, after }: Write): boolean {
  const isCustom = kinds.some(({ kind }) => key.startsWith(`/${kind.plural}/`));
  return isCustom && before?.metadata.generation !== after?.metadata.generation;
}

function complaintsAbout(row: Row, { metadata }: KubeObject): readonly string[] {
  const place = `${metadata.name}@${row.to_version} ${row.type}`;
  const author = stampedAuthorOf({ generation: 0, ...metadata });
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)];
  const written = Math.max(...times.map((time) => Date.parse(time)));
  const earliest = row.earliest_at ?? row.created_at - SEEN_WITHIN_MS;
  const isWithin = row.created_at >= written - WITHIN_SECOND_MS && earliest <= written + WITHIN_SECOND_MS;
  return [
    ...(author === undefined || author === row.created_by ? [] : [`${place} is by ${author}, not ${row.created_by}`]),
    ...(isWithin ? [] : [`${place} is of ${written - EPOCH}, not of ${earliest - EPOCH} to ${row.created_at - EPOCH}`]),
  ];
}

/** Nothing is left of replicas that have ended. */
export function nothingLeaks({ replicas, schedule, server }: World): readonly string[] {
  const ended = replicas.filter(({ isStopping, actor }) => isStopping && !actor.isKilled);
  return [
    ...ended.filter(({ hasStopped }) => !hasStopped).map(({ actor }) => `${actor.name} did not stop`),
    ...ended.flatMap(({ actor, network }) =>
      network.openStreams > 0 ? [`${actor.name} left ${network.openStreams} streams open`] : [],
    ),
    ...ended.flatMap(({ actor }) =>
      schedule.plannedFor(actor) > 0 ? [`${actor.name} left ${schedule.plannedFor(actor)} timers`] : [],
    ),
    ...(server.openWatches > 0 && replicas.every(({ isStopping, actor }) => isStopping || actor.isKilled)
      ? [`${server.openWatches} watches are open`]
      : []),
  ];
}
