/** Groups contexts by what a flag gives them before and after a change. */
import type { DocumentFlags, Evaluated, FieldsOfContext } from './document-flags.ts';

/** Contexts for which the same part of the flag decides on either side, with different results. */
export interface DifferingGroup {
  readonly before: Evaluated;
  readonly after: Evaluated;
  readonly count: number;
  /** The first ones, with the fields that matter; at least one. */
  readonly contexts: readonly FieldsOfContext[];
}

export interface DifferingGroups {
  take(context: FieldsOfContext): void;
  /** The number of contexts that get the same on either side. */
  readonly same: () => number;
  /** The largest first. */
  readonly all: () => readonly DifferingGroup[];
}

export interface BeforeAndAfter {
  readonly flag: string;
  readonly before: DocumentFlags;
  readonly after: DocumentFlags;
}

const MAX_CONTEXTS = 3;

export function createGroups(compared: BeforeAndAfter): DifferingGroups {
  const groups = new Map<string, Omit<DifferingGroup, 'contexts'> & { readonly contexts: FieldsOfContext[] }>();
  let same = 0;
  return {
    take(context) {
      const found = resultsFor(compared, context);
      if (resultOf(found.before) === resultOf(found.after)) {
        same += 1;
        return;
      }
      const key = keyOf(found);
      const known = groups.get(key) ?? { ...found, count: 0, contexts: [] };
      if (known.contexts.length < MAX_CONTEXTS) known.contexts.push(context);
      groups.set(key, { ...known, count: known.count + 1 });
    },
    same: () => same,
    all: () => [...groups.values()].toSorted((one, other) => other.count - one.count),
  };
}

/** The group with the fields of its contexts that matter: without any other field, the results are the same. */
export function withFieldsThatMatter(group: DifferingGroup, compared: BeforeAndAfter): DifferingGroup {
  // Without a field, chance may decide in another way.
  if (group.before.isRandom || group.after.isRandom) return group;
  const key = keyOf(group);
  const reduced = group.contexts.map((context) => {
    return namesOf(context).reduce((kept, name) => {
      const { [name]: _, ...rest } = kept;
      return keyOf(resultsFor(compared, rest)) === key ? rest : kept;
    }, context);
  });
  return { ...group, contexts: [...new Map(reduced.map((one) => [JSON.stringify(one), one])).values()] };
}

/** People know users best, so this field is left out last. */
function namesOf({ userId: _, sessionId: __, ...others }: FieldsOfContext): readonly string[] {
  return ['sessionId', ...Object.keys(others), 'userId'];
}

type Results = Pick<DifferingGroup, 'before' | 'after'>;

function resultsFor({ flag, before, after }: BeforeAndAfter, context: FieldsOfContext): Results {
  return { before: before.evaluate(flag, context) ?? ABSENT, after: after.evaluate(flag, context) ?? ABSENT };
}

const ABSENT: Evaluated = {
  enabled: false,
  variant: undefined,
  decision: 'off',
  strategy: undefined,
  isRandom: false,
};

function keyOf({ before, after }: Results): string {
  const sides = [before, after].map((one) => [resultOf(one), one.decision, one.strategy ?? '', one.isRandom]);
  return JSON.stringify(sides);
}

function resultOf({ enabled, variant }: Evaluated): string {
  return JSON.stringify([enabled, variant?.name ?? null, variant?.payload ?? null]);
}
