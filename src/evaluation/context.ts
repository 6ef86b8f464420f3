/** What an evaluation depends on besides the flag. */
import type { Evaluation } from './why.ts';

/** Fields and properties as strings, by name. `currentTime` is always present. */
export type Context = ReadonlyMap<string, string>;

/**
 * Reads a context as SDKs write it: fields, and `properties` with further ones, which are overridden by a field of the
 * same name. Numbers and booleans become strings; null and nested values count as missing. `now` is in ms since 1970.
 */
export function readContext(given: Readonly<Record<string, unknown>>, now: number): Context {
  const { properties, ...fields } = given;
  const context = new Map([['currentTime', new Date(now).toISOString()]]);
  for (const source of [properties, fields]) {
    for (const [name, value] of Object.entries(source ?? {})) {
      if (isScalar(value)) context.set(name, String(value));
    }
  }
  return context;
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

export interface Situation {
  readonly context: Context;
  /** Returns a number from 0 up to but excluding 1. */
  readonly random: () => number;
  /** The flags of the environment by name, in which parents are looked up. */
  readonly flags: Pick<ReadonlyMap<string, Parent>, 'get'>;
  /** Filled with the result of each parent, which is evaluated once for all of its children. */
  readonly parents: Map<Parent, Evaluation>;
}

export interface Parent {
  readonly hasParents: boolean;
  readonly work: number;
  readonly evaluate: (situation: Situation) => Evaluation;
}
