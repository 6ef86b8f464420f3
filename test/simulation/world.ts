/** A cluster with replicas of the operator, people who change flags, and faults. */
import { changeStamp, creationStamp } from '../../src/domain/identity/author.ts';
import { ClusterError, isKnownError } from '../../src/errors.ts';
import type { Call } from '../../src/kube/api/transport.ts';
import type { FeatureFlag, FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag, anEnvironment, aProject, aSegment, type Manifest } from '../support/builders.ts';
import { type ApiServer, createApiServer } from './cluster/api-server.ts';
import { createSharedDatabase, type SharedDatabase } from './database.ts';
import { createFaults, type Faults } from './faults.ts';
import { EPOCH, HOME, OTHER, type SimulatedReplica, startReplica } from './replica.ts';
import { anActor, createSchedule, type Schedule } from './schedule.ts';
import { outsideTerm } from './term-oracle.ts';

export interface World {
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly server: ApiServer;
  readonly database: SharedDatabase;
  /** The watched namespaces. Where there are two, names are claimed. */
  readonly namespaces: readonly string[];
  /** All that were started, also those that have ended. */
  readonly replicas: readonly SimulatedReplica[];
  /** What was found out while it happened. */
  readonly complaints: string[];
  /** What happened, for people. */
  readonly diary: string[];
  /** Additions to a counter through the API: certain ones, and those whose answer got lost. */
  readonly counted: Map<string, Counted>;
  /** The revision after which every change must be in the history. */
  recordedFrom: number;
  /** Etcd was restored: what was certain before may be gone. */
  isRestored: boolean;
  /** Changes were compacted before they were recorded: several of one object may be one entry. */
  hasGaps: boolean;
  start(): SimulatedReplica;
  running(): readonly SimulatedReplica[];
  note(what: string): void;
}

export interface Counted {
  certain: number;
  uncertain: number;
}

export const FLAGS = ['checkout', 'search', 'banner', 'dark-mode'] as const;

export function createWorld(seed: number): World {
  const schedule = createSchedule(seed);
  const outside = anActor('world');
  const faults = createFaults(schedule, outside);
  const namespaces = schedule.below(4) === 0 ? [HOME, OTHER] : [HOME];
  const pageSize = schedule.pick([1, 3, 500]);
  let uids = 0;
  const server = createApiServer({
    now: () => EPOCH + schedule.now(),
    newUid: () => {
      uids += 1;
      return `00000000-0000-4000-8000-${`${uids}`.padStart(12, '0')}`;
    },
  });
  const database = createSharedDatabase(schedule, faults);
  const replicas: SimulatedReplica[] = [];
  const complaints: string[] = [];
  const diary: string[] = [];
  const running = () => replicas.filter(({ actor, isStopping }) => !actor.isKilled && !isStopping);
  schedule.onStep(() => {
    const leaders = replicas.filter(({ actor, terms }) => !actor.isKilled && terms.at(-1)?.isCurrent());
    // A backup brings back the lease of an earlier term.
    if (leaders.length > 1 && !world.isRestored)
      complaints.push(`${leaders.map(({ actor }) => actor.name)} lead at the same time`);
  });
  const world: World = {
    ...{ schedule, faults, server, database, namespaces, replicas, complaints, diary, running },
    counted: new Map(),
    ...{ recordedFrom: 1, isRestored: false, hasGaps: false },
    start() {
      const name = `vexil-${replicas.length}`;
      const onLog = (level: 'error' | 'warn', line: string) => {
        diary.push(`${seconds(schedule)} ${name} ${level}: ${line.slice(0, 300)}`);
        if (line.startsWith('audit: changes were compacted')) world.hasGaps = true;
        if (level === 'error') complaints.push(`${name} logged: ${line}`);
      };
      const onSend = (call: Call) => {
        const complaint = outsideTerm(server.etcd, name, call);
        if (complaint !== undefined && !world.isRestored) complaints.push(complaint);
      };
      const parts = { schedule, faults, server, database, namespaces, pageSize };
      const replica = startReplica({ ...parts, name, onSend, onLog });
      replicas.push(replica);
      return replica;
    },
    note: (what) => void diary.push(`${seconds(schedule)} ${what}`),
  };
  return world;
}

function seconds(schedule: Schedule): string {
  return (schedule.now() / 1000).toFixed(3).padStart(9);
}

/** The objects that every world starts with. */
export function prepare({ server, schedule, namespaces }: World): void {
  const manifests: Manifest[] = [
    anEnvironment(`${HOME}/production`, { type: 'production' }),
    anEnvironment(`${HOME}/development`, { type: 'development' }),
    aProject(`${HOME}/shop`),
    aSegment(`${HOME}/staff`, { constraints: [{ contextName: 'userId', operator: 'IN', values: ['1', '2'] }] }),
    ...namespaces.flatMap((namespace) =>
      FLAGS.slice(0, 1 + schedule.below(FLAGS.length)).map((name) => aFlag(`${namespace}/${name}`, aSpec(schedule))),
    ),
  ];
  for (const manifest of manifests) asKubectl(server, 'POST', manifest);
}

/** A write of kubectl, without delay. */
export function asKubectl(
  server: ApiServer,
  method: 'POST' | 'PATCH' | 'DELETE',
  { kind, metadata, ...body }: Partial<Manifest> & Pick<Manifest, 'kind' | 'metadata'>,
): number {
  const all = `/apis/vexil.dev/v1beta1/namespaces/${metadata.namespace}/${kind.toLowerCase()}s`;
  const call: Call = {
    method,
    path: method === 'POST' ? all : `${all}/${metadata.name}`,
    query: { fieldManager: 'kubectl-edit' },
    contentType: 'application/merge-patch+json',
    body: method === 'POST' ? { kind, metadata, ...body } : body,
  };
  return server.answer(call).status;
}

export function aSpec(schedule: Schedule): FlagSpec {
  const { below, pick } = schedule;
  const names = ['default', 'flexibleRollout'];
  const strategies = Object.fromEntries(
    Array.from({ length: below(3) }, (_, index) => [`s${index}`, { name: pick(names), parameters: {} }]),
  );
  const segmented = below(3) === 0 ? { staff: { name: 'default', segments: ['staff'] } } : {};
  const enabled = below(2) === 0;
  return {
    description: '0',
    environments: {
      production: { enabled, strategies: { ...strategies, ...segmented } },
      ...(below(2) === 0 && { development: { enabled: true, strategies: { all: { name: 'default' } } } }),
    },
    ...(below(4) === 0 && { tags: [`simple:t${below(3)}`] }),
  };
}

/** Adds one to the counter in the description of a flag, as a caller of the API. */
export function countThroughApi(world: World, { platform }: SimulatedReplica, name: string): void {
  const { flags } = platform.cluster.caches;
  const author = { name: `caller-${world.diary.length}`, via: 'personal-token', from: '10.0.0.1' } as const;
  world.note(`${author.name} counts ${name}`);
  const uid = flags.get({ namespace: HOME, name })?.metadata.uid;
  if (uid === undefined) return;
  const counted = world.counted.get(uid) ?? { certain: 0, uncertain: 0 };
  world.counted.set(uid, counted);
  // Until its answer comes, if ever.
  counted.uncertain += 1;
  const edit = (flag: FeatureFlag): FlagSpec => {
    if (flag.metadata.uid !== uid) throw new ClusterError('not-found', 'this is another flag of the same name');
    return { ...flag.spec, description: `${Number(flag.spec.description ?? 0) + 1}` };
  };
  flags.change({ namespace: HOME, name }, edit, { stamp: (flag) => changeStamp(author, flag.metadata) }).then(
    () => {
      counted.certain += 1;
      counted.uncertain -= 1;
    },
    (error: unknown) => complainUnlessKnown(world, error),
  );
}

function complainUnlessKnown({ complaints }: World, error: unknown): void {
  if (!isKnownError(error)) complaints.push(`a call failed: ${error instanceof Error ? error.stack : error}`);
}

export function createThroughApi(world: World, { platform }: SimulatedReplica, name: string): void {
  const { flags } = platform.cluster.caches;
  const author = { name: `caller-${world.diary.length}`, via: 'personal-token', from: undefined } as const;
  world.note(`${author.name} creates ${name}`);
  flags
    .create(HOME, { name, spec: { project: 'shop', ...aSpec(world.schedule) }, annotations: creationStamp(author) })
    .catch((error: unknown) => complainUnlessKnown(world, error));
}
