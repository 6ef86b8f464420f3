/** Changes one thing in a JSON value. */
import fc, { type Arbitrary } from 'fast-check';

export interface Mutation {
  /** The number of the part of the value, in the order of writing, counted around. */
  readonly at: number;
  /**
   * `replace` replaces the part, `insert` adds a value under a key, `drop` removes the part, and `repeat` repeats the
   * items of a list many times.
   */
  readonly how: 'replace' | 'insert' | 'drop' | 'repeat';
  readonly key: string;
  readonly value: unknown;
}

const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'id', 'name', '', 'nonsense', '\u0000', '0'];

const extremes: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1, 0.5, 100, 101, 1000, 1001, 2 ** 31, 2 ** 53, 1e308, -1e308],
  ...['', ' ', '.', '..', '\u0000', '\ud800', '😀', '__proto__', 'constructor', 'null', '0', 'true', '/'],
  ...['x'.repeat(101), 'x'.repeat(5000), '😀'.repeat(100), 'x'.repeat(70_000)],
  ...[[], [null], [[]], {}, { a: { b: [1] } }, JSON.parse('{"__proto__":{"polluted":true}}')],
];

export function anyMutation(): Arbitrary<Mutation> {
  return fc.record({
    at: fc.nat({ max: 40 }),
    how: fc.constantFrom('replace', 'insert', 'drop', 'repeat'),
    key: fc.constantFrom(...KEYS),
    value: fc.constantFrom(...extremes),
  });
}

const TIMES = 60;

type Path = readonly string[];

/** Returns a changed copy. A mutation that does not fit its part changes nothing. */
export function mutated(value: unknown, mutation: Mutation): unknown {
  const parts = pathsIn(value, []);
  return changedAt(value, parts[mutation.at % parts.length] ?? [], (part) => changed(part, mutation));
}

/** Returns the changed part; undefined removes it. */
function changed(part: unknown, { how, key, value }: Mutation): unknown {
  switch (how) {
    case 'replace':
      return value;
    case 'drop':
      return undefined;
    case 'repeat':
      return Array.isArray(part) ? Array.from({ length: TIMES }, () => part).flat() : part;
    case 'insert':
      return withMember(part, key, value);
  }
}

function withMember(part: unknown, key: string, value: unknown): unknown {
  if (Array.isArray(part)) return [...part, value];
  return isRecord(part) ? Object.fromEntries([...Object.entries(part), [key, value]]) : part;
}

function pathsIn(value: unknown, path: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, one]) => pathsIn(one, [...path, key]))];
}

/** A part that becomes undefined is removed. */
function changedAt(value: unknown, [key, ...rest]: Path, change: (part: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  const members = Object.entries(value as object).flatMap(([name, one]) => {
    const next = name === key ? changedAt(one, rest, change) : one;
    return next === undefined ? [] : [[name, next] as const];
  });
  return Array.isArray(value) ? members.map(([, one]) => one) : Object.fromEntries(members);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
