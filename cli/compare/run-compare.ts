/** `vexil compare`: whether two servers give the same flags to the same users. */

import { createCoverage } from '../../src/evaluation/contexts/coverage.ts';
import { documentFlags, type FieldsOfContext } from '../../src/evaluation/contexts/document-flags.ts';
import { fieldValues } from '../../src/evaluation/contexts/field-values.ts';
import { makeContexts } from '../../src/evaluation/contexts/make-contexts.ts';
import { seededRandom } from '../../src/model/seeded-random.ts';
import { Failure } from '../failure.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { type ComparedEnvironment, compareDocuments, compareFrontends, type Difference } from './compare.ts';
import { readContexts } from './read-contexts.ts';
import { type CompareReport, compareJson, compareText } from './report.ts';
import { sdkDoubts } from './sdk-doubts.ts';
import { openSide, type Side } from './side.ts';
import { readTokens } from './tokens.ts';

export interface CompareOptions {
  readonly tokens: string;
  readonly tokensB?: string;
  readonly contexts?: string;
  readonly count: number;
  readonly seed: number;
  readonly output: 'text' | 'json';
}

export async function runCompare(
  [a, b]: readonly [string, string],
  options: CompareOptions,
  terminal: Terminal,
): Promise<void> {
  const ending = new AbortController();
  terminal.onStop(() => ending.abort(new Failure('interrupted', EXIT.interrupted)));
  const calls = { ending: ending.signal, onPause: (sentence: string) => terminal.writeError(`${sentence}\n`) };
  const tokens = await readTokens(options.tokens);
  const ofB = options.tokensB === undefined ? tokens : await readTokens(options.tokensB);
  const sides = [await openSide(a, tokens, calls), await openSide(b, ofB, calls)] as const;
  const given = options.contexts === undefined ? undefined : await readContexts(options.contexts);
  const report = await compareSides(sides, { ...options, given }, terminal);
  terminal.write(options.output === 'json' ? compareJson(report) : compareText(report));
  terminal.exit(report.differences.length > 0 || report.doubts.length > 0 ? EXIT.findings : EXIT.ok);
}

interface Comparing extends Pick<CompareOptions, 'count' | 'seed'> {
  readonly given: readonly FieldsOfContext[] | undefined;
}

async function compareSides(
  sides: readonly [Side, Side],
  { count, seed, given }: Comparing,
  { now, writeError }: Terminal,
): Promise<CompareReport> {
  const at = now();
  const environments = environmentsOf(sides).map((environment) => {
    const flagsOf = (side: Side) => documentFlags(documentOf(side, environment), environment, at);
    return { environment, a: flagsOf(sides[0]), b: flagsOf(sides[1]) };
  });
  const flags = environments.flatMap(({ a, b }) => [a, b]);
  const values = fieldValues(sides.flatMap(({ documents }) => [...documents.values()]));
  const coverage = createCoverage(flags);
  for (const context of given ?? []) coverage.take(context);
  const contexts = given ?? makeContexts({ coverage, values, count, random: seededRandom(seed) });
  const differences: Difference[] = [];
  let frontends = 0;
  for (const one of environments) {
    const compared: ComparedEnvironment = { ...one, contexts };
    differences.push(...compareDocuments(compared));
    if (!sides.every((side) => side.frontends.has(one.environment))) continue;
    frontends += 1;
    const onContext = (done: number) => {
      if (done % SAY_EVERY === 0)
        writeError(`${one.environment}: ${done} of ${contexts.length} contexts at both frontends\n`);
    };
    differences.push(...(await compareFrontends(compared, { sides, onContext })));
  }
  return {
    addresses: sides.map(({ address }) => address),
    environments: environments.map(({ environment }) => environment),
    flags: new Set(flags.flatMap(({ names }) => names)).size,
    contexts: contexts.length,
    frontends,
    coverage,
    differences,
    doubts: environments.flatMap(({ environment, a, b }) => sdkDoubts(environment, a, b)),
  };
}

const SAY_EVERY = 250;

/** Throws a Failure if the servers do not have tokens for the same environments. */
function environmentsOf([a, b]: readonly [Side, Side]): readonly string[] {
  const [ofA, ofB] = [new Set(a.documents.keys()), new Set(b.documents.keys())];
  const [only] = ofA.symmetricDifference(ofB);
  if (only !== undefined)
    throw new Failure(
      `${ofA.has(only) ? b.address : a.address} has no client token for "${only}": add one`,
      EXIT.usage,
    );
  if (ofA.size === 0)
    throw new Failure('none of the tokens is a client token: add one for each environment', EXIT.usage);
  return [...ofA].sort();
}

function documentOf({ documents }: Side, environment: string) {
  return documents.get(environment) ?? { features: [], segments: [] };
}
