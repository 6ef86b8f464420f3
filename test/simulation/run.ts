/** One run: a world, its changes and mishaps, and what must be true in the end. */
import { definitions } from '../../src/kinds/registry.ts';
import { plan } from './chaos.ts';
import { namesStay } from './name-oracle.ts';
import {
  allPublished,
  archiveKnowsStore,
  cachesEqualStore,
  createDeltaClient,
  type DeltaClient,
  deltasAddUp,
  historyEqualsVersions,
  nothingLeaks,
  nothingLost,
  statusesConverged,
} from './oracles.ts';
import { pastEqualsLog } from './past-oracle.ts';
import { HOME, type SimulatedReplica } from './replica.ts';
import { restartChangesNothing } from './restart-oracle.ts';
import { createWorld, prepare, type World } from './world.ts';

export interface Run {
  readonly seed: number;
  readonly complaints: readonly string[];
  readonly diary: readonly string[];
  readonly steps: number;
}

const CHAOS_MS = 40_000;
/** Faults go on after the last operation. */
const AFTER_MS = 15_000;
const OPERATIONS = 25;
/** How long replicas have to be right again when nothing goes wrong any more. */
const SETTLE_MS = 240_000;
const LOOK_EVERY_MS = 5_000;
const MAX_START_MS = 300_000;
/** The scopes that are recorded: each kind in each namespace where it counts. */
const scopesOf = ({ namespaces }: World): number =>
  definitions.flatMap(([, { kind }]) => (kind.namespaces === 'watched' ? namespaces : [HOME])).length;

export async function run(seed: number, without: ReadonlySet<number> = new Set()): Promise<Run> {
  const world = createWorld(seed);
  const { schedule, complaints, diary } = world;
  const now = performance.now;
  performance.now = schedule.now;
  try {
    prepare(world);
    for (let count = 1 + schedule.below(2); count > 0; count -= 1) world.start();
    await untilRecording(world);
    const endsInMs = plan(world, { untilMs: CHAOS_MS, operations: OPERATIONS, without });
    const clients = new Map<SimulatedReplica, DeltaClient>();
    const began = schedule.now();
    for (let at = began + 2_000; at < began + endsInMs + AFTER_MS; at += 2_000) {
      await schedule.runUntil(at);
      readDeltas(world, clients);
    }
    world.faults.heal();
    if (world.running().length === 0) world.start();
    complaints.push(...(await untilRight(world, clients)));
    complaints.push(...(await pastEqualsLog(world)));
    complaints.push(...(await restartChangesNothing(world)));
    await end(world);
    complaints.push(...nothingLeaks(world));
  } catch (error) {
    complaints.push(`the run failed: ${error instanceof Error ? error.stack : error}`);
  } finally {
    performance.now = now;
    world.database.close();
  }
  return { seed, complaints, diary, steps: schedule.steps };
}

/** The objects of the first lists are where the history begins. */
export async function untilRecording(world: World): Promise<void> {
  const { schedule, database, server } = world;
  while (database.cursors() < scopesOf(world)) {
    await schedule.runUntil(schedule.now() + 500);
    if (schedule.now() > MAX_START_MS) throw new Error('nothing is recorded');
  }
  world.recordedFrom = server.etcd.revision;
}

/** Leaves out whatever is not needed for the run to fail. */
export async function shrink(seed: number): Promise<Run> {
  let without: ReadonlySet<number> = new Set();
  let smallest = await run(seed);
  for (let number = 0; number < OPERATIONS; number += 1) {
    const less = new Set([...without, number]);
    const found = await run(seed, less);
    if (found.complaints.length === 0) continue;
    without = less;
    smallest = found;
  }
  return smallest;
}

function readDeltas(world: World, clients: Map<SimulatedReplica, DeltaClient>): void {
  for (const replica of world.running()) {
    if (!replica.replica.isReady() || world.schedule.below(2) === 0) continue;
    const client = clients.get(replica) ?? createDeltaClient();
    clients.set(replica, client);
    client.read(replica);
  }
}

async function untilRight(
  world: World,
  clients: ReadonlyMap<SimulatedReplica, DeltaClient>,
): Promise<readonly string[]> {
  const { schedule } = world;
  const until = schedule.now() + SETTLE_MS;
  for (;;) {
    await schedule.runUntil(schedule.now() + LOOK_EVERY_MS);
    const entries = world.database.entries();
    const wrong = [
      ...cachesEqualStore(world),
      ...statusesConverged(world),
      ...nothingLost(world),
      ...deltasAddUp(world, clients),
      ...archiveKnowsStore(world),
      ...historyEqualsVersions(world, entries),
      ...allPublished(entries),
      ...namesStay(world),
    ];
    if (wrong.length === 0 || schedule.now() > until) return wrong;
  }
}

async function end(world: World): Promise<void> {
  for (const replica of world.replicas) if (!replica.isStopping) replica.stop();
  await world.schedule.runUntil(world.schedule.now() + 60_000);
}
