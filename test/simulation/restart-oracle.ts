/**
 * When all is right, a new leader, which looks at every object, finds nothing to write. It has as many listeners as the
 * one before, which has none any more.
 */
import { getEventListeners } from 'node:events';
import { definitions } from '../../src/kinds/registry.ts';
import { stored } from './oracles.ts';
import type { World } from './world.ts';

/** Longer than a call waits for an answer that does not come. */
const MAX_CALL_MS = 31_000;
/** Longer than a new leader needs, after one that released its lease. */
const WORK_MS = 10_000;
const LOOKS = 3;
const BETWEEN_LOOKS_MS = 700;

export async function restartChangesNothing(world: World): Promise<readonly string[]> {
  const { schedule, database } = world;
  await schedule.runUntil(schedule.now() + MAX_CALL_MS);
  const former = world.running();
  const wanted = await fewestListeners(world);
  const before = objectsOf(world);
  const entries = database.entries().length;
  for (const replica of former) replica.stop();
  world.start();
  await schedule.runUntil(schedule.now() + WORK_MS);
  const after = objectsOf(world);
  const changed = [...after].flatMap(([place, text]) =>
    text === before.get(place) ? [] : [`a new leader makes of ${place} ${before.get(place)}: ${text}`],
  );
  const added = database.entries().length - entries;
  const listeners = await fewestListeners(world);
  const left = former.filter(({ termListeners }) => termListeners > 0);
  return [
    ...changed,
    ...(added === 0 ? [] : [`a new leader adds ${added} entries`]),
    ...left.map(
      ({ actor, termListeners }) => `${actor.name} has stopped, and leaves ${termListeners} listeners to caches`,
    ),
    ...(listeners === wanted ? [] : [`a leader has ${wanted} listeners, a new one ${listeners}`]),
  ];
}

/**
 * How many listeners wait for the end of the leader's process or term, or for changes in its caches. A request that is
 * on its way adds one.
 */
async function fewestListeners({ schedule, running }: World): Promise<number> {
  const counts: number[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    await schedule.runUntil(schedule.now() + BETWEEN_LOOKS_MS);
    const leaders = running().filter(({ terms }) => terms.at(-1)?.isCurrent());
    const signals = leaders.flatMap(({ signal, terms }) => [signal, ...terms.slice(-1).map((term) => term.signal)]);
    const waiting = signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0);
    counts.push(leaders.reduce((sum, { termListeners }) => sum + termListeners, waiting));
  }
  return Math.min(...counts);
}

/** What each custom resource is, by its kind and name, with its version. */
function objectsOf(world: World): ReadonlyMap<string, string> {
  return new Map(
    definitions.flatMap(([, { kind }]) =>
      stored(world, kind.plural).map(({ metadata: { namespace, name, resourceVersion }, status }) => [
        `${kind.kind} ${namespace}/${name}`,
        `${resourceVersion} ${JSON.stringify(status)}`,
      ]),
    ),
  );
}
