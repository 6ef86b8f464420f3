/** The client specification, which every SDK of Unleash passes. */
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { type GivenContext, type SdkVariant, vexil } from '../../support/evaluation/answers.ts';
import { completeDocument, type SparseDocument } from '../../support/evaluation/documents.ts';

interface Case<Result> {
  readonly description: string;
  readonly context: GivenContext;
  readonly toggleName: string;
  readonly expectedResult: Result;
}

type Feature = NonNullable<SparseDocument['features']>[number];
type Segment = NonNullable<SparseDocument['segments']>[number];

/** Each kind of event has some of these members. */
interface DeltaEvent extends SparseDocument {
  readonly feature?: Feature;
  readonly featureName?: string;
  readonly segment?: Segment;
  readonly segmentId?: number;
}

interface Specification {
  readonly name: string;
  readonly state: SparseDocument & { readonly events?: readonly DeltaEvent[] };
  readonly tests?: readonly Case<boolean>[];
  readonly variantTests?: readonly Case<SdkVariant>[];
}

const require = createRequire(import.meta.url);

function read<Content>(file: string): Content {
  return require(`@unleash/client-specification/specifications/${file}`) as Content;
}

const specifications = read<readonly string[]>('index.json').map((file) => read<Specification>(file));

/** The document of an SDK that has received these events of the delta API. */
function afterEvents(events: readonly DeltaEvent[]): SparseDocument {
  const [byName, byId] = [new Map<unknown, Feature>(), new Map<number | undefined, Segment>()];
  for (const { features = [], segments = [], feature, featureName, segment, segmentId } of events) {
    for (const one of features.concat(feature ?? [])) byName.set(one.name, one);
    for (const one of segments.concat(segment ?? [])) byId.set(one.id, one);
    byName.delete(featureName);
    byId.delete(segmentId);
  }
  return { features: [...byName.values()], segments: [...byId.values()] };
}

describe.each(specifications)('$name', ({ state, tests = [], variantTests = [] }) => {
  const answer = vexil(completeDocument(state.events ? afterEvents(state.events) : state));

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
