/** Vexil reads each plain scalar as the real kubectl does, and what it writes is read by kubectl as it was. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readYamlDocuments, writeYaml, type YamlStyle } from '../../src/model/yaml/yaml.ts';
import { sharedCluster } from '../support/cluster.ts';
import { vexil } from '../support/command-line.ts';
import { oddDocuments, refusedDocuments } from '../support/odd-documents.ts';
import { plainScalars } from '../support/plain-scalars.ts';
import type { Stored } from '../support/stored.ts';

const cluster = sharedCluster();
let folder: string;
let home: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubectl-yaml-'));
  home = await cluster.freshNamespace('kubectl-yaml');
});

afterAll(() => rm(folder, { recursive: true }));

const flag = (name: string, spec: string) => `apiVersion: vexil.dev/v1beta1
kind: FeatureFlag
metadata:
  name: ${name}
  namespace: ${home}
spec:
  project: shop
  ${spec}`;
const freeForm = (parameters: string) => `environments:
    development:
      strategies:
        one:
          name: default
          parameters:
            ${parameters}
`;

/** The free-form value in the flag. */
const parametersOf = (object: object): unknown => {
  const { spec } = JSON.parse(JSON.stringify(object));
  return spec.environments?.development?.strategies?.one.parameters ?? null;
};

/** Rules about objects that these flags name. */
const MISSING = ['ProjectNotFound', 'EnvironmentNotFound'];

interface Finding {
  readonly rule: string;
  readonly severity: string;
  readonly file: string;
}

interface Read {
  /** The free-form values of the flags that kubectl and the API server take, by the name of the flag. */
  readonly taken: ReadonlyMap<string, unknown>;
  readonly refusals: string;
  /** Where the files are. */
  readonly folder: string;
}

/** Sends a file for each flag to the API server, which stores nothing. */
async function sendToServer(flags: ReadonlyMap<string, string>): Promise<Read> {
  const place = await mkdtemp(join(folder, 'flags-'));
  for (const [name, text] of flags) await writeFile(join(place, `${name}.yaml`), text);
  const { stdout, stderr } = await cluster.kubectl(['create', '--dry-run=server', '-o', 'json', '-f', place]);
  const items = JSON.parse(`[${stdout.replaceAll(/^\}\n\{/gm, '},{')}]`);
  return {
    taken: new Map(items.map((item: { metadata: { name: string } }) => [item.metadata.name, parametersOf(item)])),
    refusals: stderr,
    folder: place,
  };
}

function readByVexil(text: string): unknown {
  const [document] = readYamlDocuments(text, { rules: 'kubectl' });
  if (!document) throw new Error('the text is empty');
  return 'message' in document ? undefined : parametersOf(document.value as object);
}

interface Scalar {
  readonly scalar: string;
  /** The name of its flag. */
  readonly name: string;
}
const scalars: readonly Scalar[] = plainScalars.map((scalar, index) => ({ scalar, name: `f-${index}` }));

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** A few scalars of each type, and a few that are not read. */
const someOfEachType = Map.groupBy(scalars, ({ scalar }) => {
  return typeOf(Object(readByVexil(flag('one', freeForm(`value: ${scalar}`)))).value);
})
  .values()
  .toArray()
  .flatMap((ofOneType) => ofOneType.slice(0, 6));

describe('a plain scalar is read as kubectl does', () => {
  test.each([
    ['a value', (scalar: string) => `value: ${scalar}`],
    ['a member', (scalar: string) => `${scalar}: 1`],
  ])('as %s of a free-form field', async (_, parameters) => {
    const alone = ({ scalar, name }: Scalar) => flag(name, freeForm(parameters(scalar)));
    const isRead = (one: Scalar) => readByVexil(alone(one)) !== undefined;
    const read = scalars.filter(isRead);
    expect(read.length).toBeGreaterThan(400);
    // One flag has all that is read. What is not read has a flag of its own.
    const together = read.map(({ scalar, name }) => `\n              ${name}:\n                ${parameters(scalar)}`);
    const flags = new Map([['all', flag('all', freeForm(`all:${together.join('')}`))]]);
    for (const one of scalars) if (!isRead(one)) flags.set(one.name, alone(one));

    const { taken, refusals } = await sendToServer(flags);
    expect([...taken.keys()], refusals).toEqual(['all']);
    const { all: theirs } = Object(taken.get('all'));
    const ours = Object.fromEntries(read.map((one) => [one.name, readByVexil(alone(one))]));
    const differences = read.filter(({ name }) => JSON.stringify(theirs[name]) !== JSON.stringify(ours[name]));
    expect(differences.map(({ scalar, name }) => [scalar, theirs[name], ours[name]])).toEqual([]);
  });

  test.each([
    // The API server drops null, and lint reports it.
    ['a value', (scalar: string) => `description: ${scalar}`, ['null', 'Null', 'NULL', '~']],
    ['a member', (scalar: string) => `environments:\n    ${scalar}: {enabled: false}`, []],
  ])('as %s of a typed field, which lint refuses where the API server does', async (_, specOf, butFor) => {
    const flags = new Map(someOfEachType.map(({ scalar, name }) => [name, flag(name, specOf(scalar))]));
    const { folder: place, taken } = await sendToServer(flags);
    const { stdout } = await vexil(['lint', place, '--output', 'json']);
    const { findings } = JSON.parse(stdout);
    const withErrors = new Set(
      findings
        .filter(({ severity, rule }: Finding) => severity === 'error' && !MISSING.includes(rule))
        .map(({ file }: Finding) => basename(file)),
    );
    const differences = someOfEachType.filter(({ name }) => withErrors.has(`${name}.yaml`) === taken.has(name));
    expect(differences.map(({ scalar }) => scalar)).toEqual(butFor);
  });
});

/** Reads each text as a file, without the API server. Returns the objects of all files, in their order. */
async function readByKubectl(texts: readonly string[]): Promise<readonly Stored[]> {
  const place = await mkdtemp(join(folder, 'odd-'));
  for (const [at, text] of texts.entries()) await writeFile(join(place, `${1000 + at}.yaml`), text);
  const stdout = await cluster.kubectlOrThrow(['annotate', '--local', '-f', place, 'a=b', '-o', 'json']);
  const objects: Stored[] = JSON.parse(`[${stdout.replaceAll(/^\}\n\{/gm, '},{')}]`);
  for (const { metadata } of objects) delete metadata.annotations;
  return objects;
}

test('other forms are read as kubectl does, or refused', async () => {
  const all = Object.entries(oddDocuments).map(([name, text]) => {
    const documents = readYamlDocuments(text, { rules: 'kubectl' });
    const values = documents.flatMap((document) => ('value' in document ? [document.value] : []));
    return { name, text, values, isRead: values.length === documents.length };
  });
  const read = all.filter(({ isRead }) => isRead);
  expect(all.filter(({ isRead }) => !isRead).map(({ name }) => name)).toEqual(refusedDocuments);
  const ours = read.flatMap(({ name, values }) => values.map((value) => [name, value]));
  const theirs = await readByKubectl(read.map(({ text }) => text));
  expect(ours).toEqual(theirs.map((value, at) => [ours[at]?.[0], value]));
});

describe('a text that Vexil writes is read by kubectl as it was', () => {
  const written = (parameters: unknown, style?: YamlStyle) => {
    const strategies = { one: { name: 'default', parameters } };
    const spec = { project: 'shop', environments: { development: { strategies } } };
    const metadata = { name: 'written', namespace: home };
    return writeYaml({ apiVersion: 'vexil.dev/v1beta1', kind: 'FeatureFlag', metadata, spec }, style);
  };
  const returned = async (parameters: unknown, style?: YamlStyle) => {
    const text = written(parameters, style);
    expect(readByVexil(text)).toEqual(parameters);
    const { taken, refusals } = await sendToServer(new Map([['written', text]]));
    expect(refusals).toBe('');
    return taken.get('written');
  };

  test('as value and as member, for each plain scalar', async () => {
    const parameters = { list: plainScalars, map: Object.fromEntries(plainScalars.map((text) => [text, text])) };
    expect(await returned(parameters)).toEqual(parameters);
  });

  test.each([{}, { maxBlockDepth: 5 }, { maxBlockDepth: 7, quotesAll: true }])(
    'with names that are long, in the style %j',
    async (style) => {
      const names = [1_000, 1_022, 1_024, 1_030].flatMap((length) => ['k'.repeat(length), '"\n'.repeat(length / 2)]);
      const map = Object.fromEntries(names.map((name) => [name, { a: { [name]: [{ [name]: 1 }] } }]));
      expect(await returned({ map, list: [map, [map]] }, style)).toEqual({ map, list: [map, [map]] });
    },
  );

  test.each([
    ['line by line', {}],
    ['in one line', { maxBlockDepth: 5 }],
  ])('for any text and number, %s', async (_, style) => {
    const part = fc.constantFrom(
      ...': # - \n \t , [ ] { } & * ! | > \' " % @ ` ? ~ = 0 1 e _ . a'.split(' '),
      '\n',
      ' ',
      '\u2028',
    );
    const text = fc.oneof(
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: fc.integer({ min: 1, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 10 }),
    );
    const texts = fc.sample(
      text.filter((one) => one.isWellFormed()),
      { numRuns: 800, seed: 20 },
    );
    const numbers = fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), { numRuns: 100, seed: 20 });
    const parameters = {
      texts,
      numbers: numbers.map((number) => (number === 0 ? 0 : number)),
      map: Object.fromEntries(texts.filter((one) => one !== '__proto__').map((one) => [one, one])),
    };
    expect(await returned(parameters, style)).toEqual(parameters);
  });
});
