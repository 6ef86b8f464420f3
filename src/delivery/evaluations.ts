/** Compiled flags that this replica evaluates, for callers who get answers instead of rules. */
import { compareText } from '../domain/identity/names.ts';
import type { CompiledFlag } from '../evaluation/compile.ts';
import type { Context, Situation } from '../evaluation/context.ts';
import { collectInTurns, type Turn } from '../runtime/turns.ts';
import type { FlagGroup, FlagOrigin, Scope } from './flag-origin.ts';
import { compileServed, createFlagsInEnvironment, haveSameItems, type Make } from './flags-in-environment.ts';
import { keepAnswers } from './kept-answers.ts';

/** The bound of all lists together, as a number of flags; the least recently used ones are dropped. */
const MAX_LISTED = 4_000_000;

interface Listed {
  /** The version of the flags. */
  version: number;
  readonly groups: readonly FlagGroup[];
  readonly flags: readonly CompiledFlag[];
}

function keyOf({ environment, projects }: Scope): string {
  return JSON.stringify([environment, projects]);
}

export interface Evaluations {
  /**
   * Compiles new and changed flags a few at a time, so that `flags` takes little time. Undefined if there are none.
   */
  prepare(scope: Scope, turn: Turn): Promise<unknown> | undefined;
  /**
   * The flags in the order of their names. Looks at the groups only after a change, and sorts only after a change in
   * one of them.
   */
  flags(scope: Scope): readonly CompiledFlag[];
  /** Undefined if the flag does not exist, or not in these projects. */
  flag(name: string, scope: Scope): CompiledFlag | undefined;
  /** The part of a situation that all evaluations of one request share. */
  situation(scope: Scope, context: Context): Situation;
}

/** `random` returns a number from 0 up to but excluding 1. `compile` is for flags that nobody has judged. */
export function createEvaluations(
  origin: FlagOrigin,
  random: () => number,
  compile: Make<CompiledFlag> = compileServed,
): Evaluations {
  const flags = createFlagsInEnvironment(origin, compile);
  const lists = keepAnswers<Listed>({ maxSize: MAX_LISTED });

  function* each(groups: readonly FlagGroup[], environment: string): Iterable<CompiledFlag> {
    for (const group of groups) yield* flags.inGroup(group, environment);
  }
  const list = (groups: readonly FlagGroup[], environment: string) =>
    [...each(groups, environment)].sort((one, other) => compareText(one.feature.name, other.feature.name));

  return {
    prepare({ environment, projects }: Scope, turn: Turn): Promise<unknown> | undefined {
      if (lists.get(keyOf({ environment, projects }))?.version === origin.version()) return undefined;
      return collectInTurns(each(origin.groups(projects), environment), turn);
    },

    flags({ environment, projects }: Scope): readonly CompiledFlag[] {
      const key = keyOf({ environment, projects });
      const version = origin.version();
      const known = lists.get(key);
      if (known?.version === version) return known.flags;
      const groups = origin.groups(projects);
      if (known && haveSameItems(known.groups, groups)) {
        known.version = version;
        return known.flags;
      }
      const fresh = { version, groups, flags: list(groups, environment) };
      lists.set(key, fresh, { size: fresh.flags.length + 1 });
      return fresh.flags;
    },

    flag: (name: string, scope: Scope): CompiledFlag | undefined => flags.named(name, scope),

    situation: (scope: Scope, context: Context): Situation => ({
      context,
      random,
      flags: { get: (name) => flags.named(name, scope) },
      parents: new Map(),
    }),
  };
}
