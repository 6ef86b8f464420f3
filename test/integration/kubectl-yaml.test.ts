/** Vexil reads each plain scalar as the real kubectl does, and what it writes is read by kubectl as it was. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readYamlDocuments, writeYaml, type YamlStyle } from '../../src/model/yaml/yaml.ts';
import { sharedCluster } from '../support/cluster.ts';
import { vexil } from '../support/command-line.ts';
import { oddDocuments, refusedDocuments } from '../support/odd-documents.ts';
import { plainScalars } from '../support/plain-scalars.ts';

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
}

/** Sends a file for each flag to the API server, which stores nothing. */
async function sendToServer(flags: ReadonlyMap<string, string>): Promise<Read & { readonly folder: string }> {
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

const differencesIn = (flags: ReadonlyMap<string, string>, { taken }: Read) =>
  [...flags].flatMap(([name, text], index) => {
    const [theirs, ours] = [taken.get(name), readByVexil(text)].map((value) => JSON.stringify(value));
    return theirs === ours ? [] : [{ scalar: plainScalars[index], theirs, ours }];
  });

const flagsOf = (specOf: (scalar: string) => string) =>
  new Map(plainScalars.map((scalar, index) => [`f-${index}`, flag(`f-${index}`, specOf(scalar))]));

describe('a plain scalar is read as kubectl does', () => {
  test.each([
    ['a value', (scalar: string) => `value: ${scalar}`],
    ['a member', (scalar: string) => `${scalar}: 1`],
  ])('as %s of a free-form field', async (_, parameters) => {
    const flags = flagsOf((scalar) => freeForm(parameters(scalar)));
    const read = await sendToServer(flags);
    expect(differencesIn(flags, read)).toEqual([]);
    expect(read.taken.size).toBeGreaterThan(400);
  });

  test.each([
    // The API server drops null, and lint reports it.
    ['a value', (scalar: string) => `description: ${scalar}`, ['null', 'Null', 'NULL', '~']],
    ['a member', (scalar: string) => `environments:\n    ${scalar}: {enabled: false}`, []],
  ])('as %s of a typed field, which lint refuses where the API server does', async (_, specOf, butFor) => {
    const flags = flagsOf(specOf);
    const { folder: place, taken } = await sendToServer(flags);
    const { stdout } = await vexil(['lint', place, '--output', 'json']);
    const { findings } = JSON.parse(stdout);
    const withErrors = new Set(
      findings
        .filter(({ severity, rule }: Finding) => severity === 'error' && !MISSING.includes(rule))
        .map(({ file }: Finding) => basename(file)),
    );
    const differences = [...flags.keys()].filter((name) => withErrors.has(`${name}.yaml`) === taken.has(name));
    expect(differences.map((name) => plainScalars[Number(name.slice(2))])).toEqual(butFor);
  });
});

/** Reads a file without the API server. Returns the error if kubectl cannot read it. */
async function readByKubectl(input: string): Promise<unknown> {
  const { code, stdout, stderr } = await cluster.kubectl(['annotate', '--local', '-f', '-', 'a=b', '-o', 'json'], {
    input,
  });
  if (code !== 0) return stderr;
  const objects = JSON.parse(`[${stdout.replaceAll(/^\}\n\{/gm, '},{')}]`);
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
  const theirs = await pLimit(4).map(read, ({ text }) => readByKubectl(text));
  expect(read.map(({ name, values }) => [name, values])).toEqual(read.map(({ name }, at) => [name, theirs[at]]));
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
      { numRuns: 3000, seed: 20 },
    );
    const numbers = fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), { numRuns: 300, seed: 20 });
    const parameters = {
      texts,
      numbers: numbers.map((number) => (number === 0 ? 0 : number)),
      map: Object.fromEntries(texts.filter((one) => one !== '__proto__').map((one) => [one, one])),
    };
    expect(await returned(parameters, style)).toEqual(parameters);
  });
});
