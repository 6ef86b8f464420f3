/** The planned operations of each writer, which follow only from the seed. */

import { seededRandom } from '../../../src/model/seeded-random.ts';
import { ENVIRONMENTS, enabledIn, type Fields, titleIn } from './fields.ts';
import type { EntryPoint } from './history.ts';
import { editableBy, isLifeEntryPoint, lifeStep, SHORT_LIVED } from './life.ts';

export interface PlannedOperation {
  readonly id: number;
  readonly writer: string;
  readonly entryPoint: EntryPoint;
  /** The number of the replica that receives it, counted around. */
  readonly replica: number;
  readonly flag: string;
  readonly writes: Fields;
  /** The fields that the flag must have for the operation. */
  readonly expected?: Fields;
  readonly dryRun: boolean;
  /** Whether the writer reads the flag first, and sends its ETag as If-Match. */
  readonly ifMatch: boolean;
  /** Whether server-side apply takes the fields from other managers. */
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
  readonly entryPoints: readonly EntryPoint[];
  /** The fields that each operation writes. If absent, the entry point determines them each time. */
  readonly always?: readonly string[];
  /** Whether the writers create and delete flags. */
  readonly isKeeper?: true;
}

/** The steps are mostly taken in this order, because otherwise most of them would be refused. */
const ADMIN_LIFE = ['create', 'patch', 'archive', 'revive', 'archive', 'delete'] as const;
const CLUSTER_LIFE = ['kubectl-create', 'merge', 'kubectl-delete'] as const;

/** Half of the writers of the admin API prefer one replica, half the other. */
const crews: readonly Crew[] = [
  ...[0, 1, 2, 3, 4, 5].map((index) => ({ name: `admin-${index}`, entryPoints: ['patch', 'put', 'switch'] as const })),
  { name: 'merger-0', entryPoints: ['merge'] },
  { name: 'merger-1', entryPoints: ['merge'] },
  // A manager that stops applying a field would remove it, so each manager applies the same fields every time.
  { name: 'kubectl-applier-0', entryPoints: ['apply'], always: ['description', 'stale', titleIn('production')] },
  { name: 'kubectl-applier-1', entryPoints: ['apply'], always: ['type', titleIn('staging'), enabledIn('staging')] },
  { name: 'replacer-0', entryPoints: ['replace'] },
  { name: 'keeper-0', entryPoints: ADMIN_LIFE, isKeeper: true },
  { name: 'keeper-1', entryPoints: ADMIN_LIFE, isKeeper: true },
  { name: 'kubectl-keeper', entryPoints: CLUSTER_LIFE, isKeeper: true },
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
      return {
        id,
        writer: crew.name,
        replica: random() < 0.9 ? place : place + 1,
        ...(crew.isKeeper ? stepOf(random, { id, turn, crew }) : editOf(random, { id, crew, flags })),
        dryRun: random() < 0.08,
        ifMatch: random() < 0.25,
        force: random() < 0.7,
      };
    }),
  }));
}

type Work = Pick<PlannedOperation, 'entryPoint' | 'flag' | 'writes' | 'expected'>;

function editOf(random: Random, { id, crew, flags }: { id: number; crew: Crew; flags: readonly string[] }): Work {
  const entryPoint = oneOf(random, crew.entryPoints);
  const flag = oneOf(random, flags);
  return { entryPoint, flag, writes: writesOf(random, { id, paths: crew.always ?? pathsFor(random, entryPoint) }) };
}

/** A keeper takes one flag after the other through its life, and sometimes applies any step to any of them. */
function stepOf(random: Random, { id, turn, crew }: { id: number; turn: number; crew: Crew }): Work {
  const { entryPoints } = crew;
  const isInOrder = random() < 0.8;
  const entryPoint = isInOrder ? inTurn(entryPoints, turn) : oneOf(random, entryPoints);
  const flag = isInOrder ? inTurn(SHORT_LIVED, Math.floor(turn / entryPoints.length)) : oneOf(random, SHORT_LIVED);
  const description = writesOf(random, { id, paths: ['description'] });
  if (isLifeEntryPoint(entryPoint)) return { entryPoint, flag, ...lifeStep(entryPoint, flag, description) };
  const writes = writesOf(random, { id, paths: some(random, METADATA) });
  return { entryPoint, flag, writes, expected: editableBy(entryPoint === 'patch' ? 'patch' : 'merge') };
}

function inTurn<T>(choices: readonly T[], turn: number): T {
  const chosen = choices[turn % choices.length];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
}

/** The number of writers. */
export const WRITERS = crews.length;

function pathsFor(random: Random, entryPoint: EntryPoint): string[] {
  switch (entryPoint) {
    case 'patch':
      return some(random, METADATA);
    case 'put':
      // A PUT writes all metadata, except a description that is left out.
      return METADATA.filter((path) => path !== 'description' || random() < 0.6);
    case 'switch':
      return [oneOf(random, SWITCHES)];
    case 'replace':
      return ['description', ...some(random, ANYTHING)];
    default:
      return some(random, ANYTHING);
  }
}

/** Texts contain the number of the operation, so that each has one writer. */
function writesOf(random: Random, { id, paths }: { id: number; paths: readonly string[] }): Fields {
  const newValue = (path: string): unknown => {
    if (path === 'type') return oneOf(random, TYPES);
    if (path === 'tags') return [`operation:no-${id}`];
    if (path === 'description' || path.endsWith('.title')) return `operation ${id}`;
    return random() < 0.5;
  };
  return Object.fromEntries(paths.map((path) => [path, JSON.stringify(newValue(path))]));
}

/** Returns one to three of the paths. */
function some(random: Random, paths: readonly string[]): string[] {
  const count = 1 + Math.floor(random() * 3);
  return [...new Set(Array.from({ length: count }, () => oneOf(random, paths)))];
}

function oneOf<T>(random: Random, choices: readonly T[]): T {
  return inTurn(choices, Math.floor(random() * choices.length));
}
