/** Makes contexts that reach every branch of each flag. */
import type { Branch, Coverage } from './coverage.ts';
import type { FieldsOfContext } from './document-flags.ts';
import { ANOTHER, type FieldValues } from './field-values.ts';

export interface Making {
  /** Knows afterwards which branches the contexts reach. */
  readonly coverage: Coverage;
  readonly values: FieldValues;
  readonly count: number;
  /** How often it tries to reach branches, in all. Absent: as often as they need. */
  readonly attempts?: number;
  /** Returns a number from 0 up to but excluding 1; the same for the same seed. */
  readonly random: () => number;
}

/** The share of contexts that are made by chance, as applications send them; the others reach a branch. */
const BY_CHANCE = 0.4;
/** For each branch: a rollout of 1 % is reached by one of 100 users. */
const MAX_ATTEMPTS = 1000;

export function makeContexts(making: Making): readonly FieldsOfContext[] {
  return [...eachContext(making)].filter((context) => context !== undefined);
}

/** As `makeContexts`, in parts: undefined is an attempt that failed. */
export function* eachContext({
  coverage,
  values,
  count,
  attempts = Number.POSITIVE_INFINITY,
  random,
}: Making): Iterable<FieldsOfContext | undefined> {
  const any = createAnyContext(values, random);
  let made = 0;
  const take = (context: FieldsOfContext | undefined) => {
    if (!context) return undefined;
    made += 1;
    coverage.take(context);
    return context;
  };
  while (made < count * BY_CHANCE) yield take(any());
  let left = attempts;
  for (const [branch, context] of tries(coverage, any)) {
    if (made >= count || left <= 0) break;
    left -= 1;
    yield take(branch.isReachedBy(context) ? context : undefined);
  }
  while (made < count) yield take(any());
}

/** Tries each branch until it is reached. */
function* tries(
  coverage: Coverage,
  any: (branch: Branch) => FieldsOfContext,
): Iterable<readonly [Branch, FieldsOfContext]> {
  for (const branch of coverage.missing()) {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !coverage.isReached(branch); attempt += 1) {
      yield [branch, any(branch)];
    }
  }
}

/** Makes a context with the fields of a branch, with its values, and each other one with the same chance as without. */
function createAnyContext(values: FieldValues, random: () => number) {
  let user = 0;
  const isThere = (field: string, isWanted: boolean): boolean => {
    const chance = OWN.includes(field) ? OWN_CHANCE : EVEN_CHANCE;
    return random() < (isWanted ? ALMOST_ALWAYS : chance);
  };
  const pick = (list: readonly string[]): string => {
    const isAnother = list.includes(ANOTHER) && random() < EVEN_CHANCE;
    const value = isAnother ? ANOTHER : (list[Math.floor(random() * list.length)] ?? ANOTHER);
    return value === ANOTHER ? `value-${user}` : value;
  };
  return (branch?: Pick<Branch, 'fields' | 'values'>): FieldsOfContext => {
    user += 1;
    const chosen = [...values].filter(([field]) => isThere(field, branch?.fields.has(field) === true));
    const picked = chosen.map(([field, list]) => [field, pick(branch?.values.get(field) ?? list)] as const);
    return { userId: `user-${user}`, sessionId: `session-${user}`, ...Object.fromEntries(picked) };
  };
}

const ALMOST_ALWAYS = 0.9;
const EVEN_CHANCE = 0.5;
const OWN_CHANCE = 0.25;
/** Mostly users of their own, so that all shares of rollouts are there; and mostly the time of now. */
const OWN: readonly string[] = ['userId', 'sessionId', 'currentTime'];
