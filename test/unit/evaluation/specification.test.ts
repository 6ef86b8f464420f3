/** The client specification, which every SDK of Unleash passes. */
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { createEdgeFlags } from '../../../src/edge/flags.ts';
import { type ClientDocument, type Read, readDelta, readDocument } from '../../../src/wire/client/read-document.ts';
import { type GivenContext, type SdkVariant, vexil } from '../../support/evaluation/answers.ts';

interface Case<Result> {
  readonly description: string;
  readonly context: GivenContext;
  readonly toggleName: string;
  readonly expectedResult: Result;
}

interface Specification {
  readonly name: string;
  /** A document, or events of the delta API. */
  readonly state: { readonly events?: unknown };
  readonly tests?: readonly Case<boolean>[];
  readonly variantTests?: readonly Case<SdkVariant>[];
}

const require = createRequire(import.meta.url);

function read<Content>(file: string): Content {
  return require(`@unleash/client-specification/specifications/${file}`) as Content;
}

const specifications = read<readonly string[]>('index.json').map((file) => read<Specification>(file));

function valueIn<V>(read: Read<V>): V {
  if ('problem' in read) throw new Error(read.problem);
  return read.value;
}

/** What an edge has after these events of the delta API. */
function afterEvents(state: unknown): ClientDocument {
  const flags = createEdgeFlags(() => 0);
  const source = { key: 'test', environment: 'production' };
  flags.replace(source, { features: [], segments: [] });
  flags.apply(source, valueIn(readDelta(state)).events);
  return valueIn(readDocument(JSON.parse(flags.documentOf(source) ?? '')));
}

describe.each(specifications)('$name', ({ state, tests = [], variantTests = [] }) => {
  const answer = vexil(state.events ? afterEvents(state) : valueIn(readDocument(state)));

  test.each(tests)('$description', ({ toggleName, context, expectedResult }) => {
    expect(answer(toggleName, context).enabled).toBe(expectedResult);
  });

  test.each(variantTests)('$description, variant', ({ toggleName, context, expectedResult }) => {
    expect(answer(toggleName, context).variant).toEqual(expectedResult);
  });
});

test('the specification has the files and tests of version 6.1.0', () => {
  const tests = specifications.map(({ tests = [], variantTests = [] }) => tests.length + variantTests.length);
  expect([tests.length, tests.reduce((sum, count) => sum + count, 0)]).toEqual([22, 279]);
});
