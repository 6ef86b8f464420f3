/** A spec with the verdict that the API server and the program must agree on. */

export interface SpecRow {
  /** A sentence about the spec. */
  readonly title: string;
  readonly spec: unknown;
  /** The refusal. If absent, the spec is accepted. */
  readonly refused?: {
    /** The field that the API server names. */
    readonly field: string;
    /** A part of the message: what is wrong, or what to do. */
    readonly says: string | RegExp;
  };
}

export function fits(title: string, spec: unknown): SpecRow {
  return { title, spec };
}

export function refused(title: string, spec: unknown, [field, says]: readonly [string, string | RegExp]): SpecRow {
  return { title, spec, refused: { field, says } };
}

/** Repeats a text that many times. */
export function long(length: number, text = 'x'): string {
  return text.repeat(length);
}

/** Returns a list with that many entries, each made from its index. */
export function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Returns a map with that many entries. */
export function manyKeys<T>(count: number, value: T): Record<string, T> {
  return Object.fromEntries(many(count, (index) => [`k${index}`, value]));
}

/** A text of characters with two code units each: bounds are in characters. */
export const twoUnits = (length: number): string => long(length, '😀');
