/** Writes the state document as JSON or YAML, object by object. */
import type { State } from '../../../domain/state/exported-state.ts';
import { yamlPieces } from '../../../model/yaml/yaml-pieces.ts';
import { stateSections } from './state-document.ts';

export function stateText(state: State, format: 'json' | 'yaml'): Iterable<string> {
  return format === 'yaml' ? yamlOf(state) : jsonOf(state);
}

function* jsonOf(state: State): Iterable<string> {
  yield '{"version":4';
  for (const [name, groups] of stateSections(state)) {
    yield `,"${name}":[`;
    yield* written(groups, { write: (item) => [JSON.stringify(item)], first: '', next: ',' });
    yield ']';
  }
  yield '}';
}

interface Writing {
  readonly write: (item: unknown) => Iterable<string>;
  /** What comes before the first item of the section. */
  readonly first: string;
  /** What comes before each other item. */
  readonly next: string;
}

/** Yields the text of each item, in pieces if it is large, and returns whether there was one. */
function* written(groups: Iterable<readonly unknown[]>, { write, first, next }: Writing): Generator<string, boolean> {
  let hasItems = false;
  for (const items of groups) {
    for (const item of items) {
      let before = hasItems ? next : first;
      for (const piece of write(item)) {
        yield before + piece;
        before = '';
      }
      hasItems = true;
    }
  }
  return hasItems;
}

const MAX_BLOCK_DEPTH = 12;

function* yamlOf(state: State): Iterable<string> {
  yield 'version: 4\n';
  for (const [name, groups] of stateSections(state)) {
    const write = (item: unknown) => yamlPieces([item], { maxBlockDepth: MAX_BLOCK_DEPTH, quotesAll: true });
    const hasItems = yield* written(groups, { write, first: `${name}:\n`, next: '' });
    if (!hasItems) yield `${name}: []\n`;
  }
}
