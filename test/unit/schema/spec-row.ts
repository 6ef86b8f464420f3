/** A spec with the verdict that the API server and the program must agree on. */

export interface SpecRow {
  /** A sentence about the spec. */
  readonly title: string;
  readonly spec: unknown;
  /** Absent: it fits. */
  readonly refused?: {
    /** The field that the API server names. */
    readonly field: string;
    /** In its message: what is wrong, or what to do. */
    readonly says: string | RegExp;
  };
}

export function fits(title: string, spec: unknown): SpecRow {
  return { title, spec };
}

export function refused(title: string, spec: unknown, [field, says]: readonly [string, string | RegExp]): SpecRow {
  return { title, spec, refused: { field, says } };
}

/** The same text so many times. */
export function long(length: number, text = 'x'): string {
  return text.repeat(length);
}

/** So many entries of a list, each made from its index. */
export function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** So many entries of a map. */
export function manyKeys<T>(count: number, value: T): Record<string, T> {
  return Object.fromEntries(many(count, (index) => [`k${index}`, value]));
}

/** A text of characters with two code units each: bounds are in characters. */
export const twoUnits = (length: number): string => long(length, '😀');
