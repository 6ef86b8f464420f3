/** Takes a state document apart, so that a thread can take it over from another one a bit at a time. */
import type { StateDocument } from './wire/state-input.ts';

export interface StateSlice {
  readonly section: string;
  readonly rows: readonly unknown[];
}

export interface StateSlices {
  /** The document, with sections that are empty. */
  readonly frame: Readonly<Record<string, unknown>>;
  readonly slices: Iterable<StateSlice>;
}

const ROWS_AT_A_TIME = 100;

export function takeApart(document: StateDocument): StateSlices {
  const sections = Object.entries(document).flatMap(([name, value]) =>
    Array.isArray(value) ? [{ name, rows: value }] : [],
  );
  return {
    frame: { ...document, ...Object.fromEntries(sections.map(({ name }) => [name, []])) },
    slices: slicesOf(sections),
  };
}

function* slicesOf(sections: readonly { readonly name: string; readonly rows: readonly unknown[] }[]) {
  for (const { name: section, rows } of sections) {
    for (let start = 0; start < rows.length; start += ROWS_AT_A_TIME) {
      yield { section, rows: rows.slice(start, start + ROWS_AT_A_TIME) };
    }
  }
}
