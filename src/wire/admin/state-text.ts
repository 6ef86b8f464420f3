/** Writes the state document as JSON or YAML, piece by piece. */
import { dump } from 'js-yaml';
import type { State } from '../../domain/state/exported-state.ts';
import { stateSections } from './state-document.ts';

export function stateText(state: State, format: 'json' | 'yaml'): Iterable<string> {
  return format === 'yaml' ? yamlOf(state) : jsonOf(state);
}

function* jsonOf(state: State): Iterable<string> {
  yield '{"version":4';
  for (const [name, items] of stateSections(state)) {
    yield `,"${name}":[`;
    let comma = '';
    for (const item of items) {
      yield `${comma}${JSON.stringify(item)}`;
      comma = ',';
    }
    yield ']';
  }
  yield '}';
}

/** Deeper values are written in one line: otherwise, free-form values would grow by the spaces before each of them. */
const DEEPEST_BLOCK = 12;

/** Writes every text in quotes, as older readers take some words for something else, and each list item by item. */
function* yamlOf(state: State): Iterable<string> {
  const style = {
    noRefs: true,
    forceQuotes: true,
    quoteStyle: 'double',
    lineWidth: -1,
    flowLevel: DEEPEST_BLOCK,
  } as const;
  yield 'version: 4\n';
  for (const [name, items] of stateSections(state)) {
    let isEmpty = true;
    for (const item of items) {
      yield `${isEmpty ? `${name}:\n` : ''}${dump([item], style)}`;
      isEmpty = false;
    }
    if (isEmpty) yield `${name}: []\n`;
  }
}
