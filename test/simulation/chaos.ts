/** The changes and faults of a world, at moments that the seed decides. */
import { aFlag, aProject } from '../support/builders.ts';
import { HOME, type SimulatedReplica } from './replica.ts';
import { pauseUntil } from './schedule.ts';
import { aSpec, asKubectl, countThroughApi, createThroughApi, FLAGS, type World } from './world.ts';

type Operation = (world: World, replica: SimulatedReplica | undefined) => void;

const anyFlag = ({ schedule }: World) => schedule.pick(FLAGS);
/** `namespace/name` of a flag that may exist. */
const anyPlace = (world: World) => `${world.schedule.pick(world.namespaces)}/${anyFlag(world)}`;
const someTime = ({ schedule }: World, maxMs: number) => Math.round(schedule.random() ** 2 * maxMs);
const flagAt = (place: string, spec: object) => ({ ...aFlag(place), spec });

/** Changes by people. */
const changes: Readonly<Record<string, Operation>> = {
  'edits with kubectl': (world) => {
    const place = anyPlace(world);
    const { description: _, ...spec } = aSpec(world.schedule);
    world.note(`kubectl edits ${place}: ${asKubectl(world.server, 'PATCH', flagAt(place, spec))}`);
  },
  'toggles with kubectl': (world) => {
    const place = anyPlace(world);
    const enabled = world.schedule.below(2) === 0;
    const status = asKubectl(world.server, 'PATCH', flagAt(place, { environments: { production: { enabled } } }));
    world.note(`kubectl toggles ${place} ${enabled}: ${status}`);
  },
  'creates with kubectl': (world) => {
    const place = anyPlace(world);
    world.note(`kubectl creates ${place}: ${asKubectl(world.server, 'POST', aFlag(place, aSpec(world.schedule)))}`);
  },
  'deletes with kubectl': (world) => {
    const place = anyPlace(world);
    const { kind, metadata } = aFlag(place);
    world.note(`kubectl deletes ${place}: ${asKubectl(world.server, 'DELETE', { kind, metadata })}`);
  },
  'archives with kubectl': (world) => {
    const place = anyPlace(world);
    const archived = world.schedule.below(2) === 0;
    world.note(
      `kubectl archives ${place} ${archived}: ${asKubectl(world.server, 'PATCH', flagAt(place, { archived }))}`,
    );
  },
  'creates or deletes the project of others': (world) => {
    const place = `${world.schedule.pick(world.namespaces)}/mail`;
    const method = world.schedule.below(3) === 0 ? 'DELETE' : 'POST';
    world.note(`kubectl ${method} project ${place}: ${asKubectl(world.server, method, aProject(place))}`);
  },
  'edits the segment': (world) => {
    const values = [`${world.schedule.below(100)}`];
    const spec = { constraints: [{ contextName: 'userId', operator: 'IN', values }] };
    const status = asKubectl(world.server, 'PATCH', {
      ...{ kind: 'Segment', metadata: { namespace: HOME, name: 'staff' } },
      spec,
    });
    world.note(`kubectl edits the segment: ${status}`);
  },
  'switches the environment': (world) => {
    const enabled = world.schedule.below(3) > 0;
    const status = asKubectl(world.server, 'PATCH', {
      ...{ kind: 'Environment', metadata: { namespace: HOME, name: 'development' } },
      spec: { enabled },
    });
    world.note(`kubectl switches development ${enabled}: ${status}`);
  },
  'counts through the API': (world, replica) => {
    if (replica) countThroughApi(world, replica, anyFlag(world));
  },
  'counts at two replicas': (world) => {
    const name = anyFlag(world);
    for (const replica of world.running()) if (replica.replica.isReady()) countThroughApi(world, replica, name);
  },
  'creates through the API': (world, replica) => {
    if (replica) createThroughApi(world, replica, anyFlag(world));
  },
};

/** Faults of processes, of the network and of the cluster. */
const mishaps: Readonly<Record<string, Operation>> = {
  'cuts a replica off': (world, replica) => {
    const ms = someTime(world, 40_000);
    world.note(`${replica?.actor.name} is cut off for ${ms} ms`);
    if (replica) world.faults.cutOff(replica.actor, ms);
    if (ms > 5_000) replica?.network.breakStreams();
  },
  'pauses a replica': (world, replica) => {
    const ms = someTime(world, 40_000);
    const isAtWrite = world.schedule.below(2) === 0;
    world.note(`${replica?.actor.name} is paused for ${ms} ms${isAtWrite ? ', at its next write as the leader' : ''}`);
    if (isAtWrite) replica?.network.pauseAtNextWrite(ms);
    else if (replica) pauseUntil(replica.actor, world.schedule.now() + ms);
  },
  'kills a replica': (world, replica) => {
    world.note(`${replica?.actor.name} is killed`);
    replica?.kill();
    world.schedule.after(someTime(world, 20_000), world.faults.world, () => world.start());
  },
  'stops a replica': (world, replica) => {
    world.note(`${replica?.actor.name} is stopped`);
    replica?.stop();
    world.schedule.after(someTime(world, 10_000), world.faults.world, () => world.start());
  },
  'restarts the API server': (world) => {
    world.note('the API server restarts');
    world.server.restart();
  },
  'breaks streams': (world, replica) => {
    world.note(`the streams of ${replica?.actor.name} break`);
    replica?.network.breakStreams();
  },
  'compacts etcd': ({ server: { etcd }, schedule, note }) => {
    const revision = etcd.compacted + schedule.below(etcd.revision - etcd.compacted + 1);
    note(`etcd is compacted at ${revision}`);
    etcd.compact(revision);
  },
  'takes the database away': (world) => {
    const ms = someTime(world, 30_000);
    world.note(`the database is away for ${ms} ms`);
    world.faults.takeDatabaseAway(ms);
  },
};

/** The writes of others in the cluster. */
const WRITES_OF_OTHERS = 5_000;
const BACKUP_AT_MS = 8_000;
/** More than a minute later: all watches have had a bookmark of a version that the backup does not reach soon. */
const RESTORE_AT_MS = 75_000;

function planRestore(world: World): void {
  const { schedule, faults, server } = world;
  schedule.after(BACKUP_AT_MS, faults.world, () => {
    const backup = server.etcd.revision;
    world.note(`etcd is backed up at ${backup}`);
    server.etcd.skip(WRITES_OF_OTHERS);
    schedule.after(RESTORE_AT_MS - BACKUP_AT_MS, faults.world, () => {
      world.note(`etcd is restored, from ${server.etcd.revision}`);
      world.isRestored = true;
      server.restore(backup);
    });
  });
}

interface Plan {
  readonly untilMs: number;
  readonly operations: number;
  /** The numbers of operations that are left out, to find the smallest run that fails. */
  readonly without: ReadonlySet<number>;
}

/** Decides what is done, and when; the same whatever is left out. Returns in how many ms all of it has begun. */
export function plan(world: World, { untilMs, operations, without }: Plan): number {
  const { schedule, faults } = world;
  const isRestoring = schedule.below(8) === 0;
  const chosen = isRestoring ? [] : Object.values(mishaps).filter(() => schedule.below(3) === 0);
  if (isRestoring) planRestore(world);
  const endsInMs = isRestoring ? RESTORE_AT_MS : untilMs;
  const all = Object.values(changes);
  for (let number = 0; number < operations; number += 1) {
    const operation = chosen.length > 0 && schedule.below(4) === 0 ? schedule.pick(chosen) : schedule.pick(all);
    const inMs = schedule.random() * untilMs;
    if (without.has(number)) continue;
    schedule.after(inMs, faults.world, () => {
      const running = world.running().filter(({ replica }) => replica.isReady());
      operation(world, running.length === 0 ? undefined : schedule.pick(running));
    });
  }
  return endsInMs;
}
