/** What each writer is going to do, decided by the seed alone. */

import { seededRandom } from '../seeded-random.ts';
import { ENVIRONMENTS, enabledIn, type Fields, titleIn } from './fields.ts';
import type { Door } from './history.ts';

export interface PlannedOperation {
  readonly id: number;
  readonly writer: string;
  readonly door: Door;
  /** Which of the replicas that are there takes it, counted around. */
  readonly replica: number;
  readonly flag: string;
  readonly writes: Fields;
  readonly dryRun: boolean;
  /** Reads the flag first, then sends its ETag as If-Match. */
  readonly ifMatch: boolean;
  /** Server-side apply takes the fields from other managers. */
  readonly force: boolean;
}

export interface PlannedWriter {
  readonly name: string;
  readonly operations: readonly PlannedOperation[];
}

export interface PlanParts {
  readonly seed: number;
  readonly flags: readonly string[];
  readonly operationsEach: number;
}

interface Crew {
  readonly name: string;
  readonly doors: readonly Door[];
  /** The fields that each operation writes, all of them; absent: the door decides each time. */
  readonly always?: readonly string[];
}

/** Half of the writers of the admin API prefer one replica, half the other. */
const crews: readonly Crew[] = [
  ...[0, 1, 2, 3, 4, 5].map((index) => ({ name: `admin-${index}`, doors: ['patch', 'put', 'switch'] as const })),
  { name: 'merger-0', doors: ['merge'] },
  { name: 'merger-1', doors: ['merge'] },
  // A manager that stopped applying a field would remove it, so each applies the same fields every time.
  { name: 'applier-0', doors: ['apply'], always: ['description', 'stale', titleIn('production')] },
  { name: 'applier-1', doors: ['apply'], always: ['type', titleIn('staging'), enabledIn('staging')] },
  { name: 'replacer-0', doors: ['replace'] },
];

const TYPES = ['release', 'experiment', 'operational', 'kill-switch', 'permission'];
const SWITCHES = ENVIRONMENTS.map(enabledIn);
const METADATA = ['description', 'type', 'stale', 'impressionData'];
const ANYTHING = [...METADATA, 'tags', ...SWITCHES, ...ENVIRONMENTS.map(titleIn)];

type Random = () => number;

/** The same seed gives the same plan. */
export function planWriters({ seed, flags, operationsEach }: PlanParts): PlannedWriter[] {
  const random = seededRandom(seed);
  return crews.map((crew, place) => ({
    name: crew.name,
    operations: Array.from({ length: operationsEach }, (_, turn) => {
      const id = place * operationsEach + turn + 1;
      const door = oneOf(random, crew.doors);
      return {
        id,
        writer: crew.name,
        door,
        replica: random() < 0.9 ? place : place + 1,
        flag: oneOf(random, flags),
        writes: writesOf(random, { id, paths: crew.always ?? pathsFor(random, door) }),
        dryRun: random() < 0.08,
        ifMatch: random() < 0.25,
        force: random() < 0.7,
      };
    }),
  }));
}

/** How many writers there are. */
export const WRITERS = crews.length;

function pathsFor(random: Random, door: Door): string[] {
  switch (door) {
    case 'patch':
      return some(random, METADATA);
    case 'put':
      // It writes all of the metadata, but for a description that is left out.
      return METADATA.filter((path) => path !== 'description' || random() < 0.6);
    case 'switch':
      return [oneOf(random, SWITCHES)];
    case 'replace':
      return ['description', ...some(random, ANYTHING)];
    default:
      return some(random, ANYTHING);
  }
}

/** Texts carry the number of the operation, so that nobody else can have written them. */
function writesOf(random: Random, { id, paths }: { id: number; paths: readonly string[] }): Fields {
  const newValue = (path: string): unknown => {
    if (path === 'type') return oneOf(random, TYPES);
    if (path === 'tags') return [`operation:no-${id}`];
    if (path === 'description' || path.endsWith('.title')) return `operation ${id}`;
    return random() < 0.5;
  };
  return Object.fromEntries(paths.map((path) => [path, JSON.stringify(newValue(path))]));
}

/** Between one and three of them. */
function some(random: Random, paths: readonly string[]): string[] {
  const count = 1 + Math.floor(random() * 3);
  return [...new Set(Array.from({ length: count }, () => oneOf(random, paths)))];
}

function oneOf<T>(random: Random, choices: readonly T[]): T {
  const chosen = choices[Math.floor(random() * choices.length)];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
}
