/** The generated parts of the chart: the schema and table of its values, its settings, its policies. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { forAnyOperator } from '../../../scripts/chart/admission.ts';
import { chartFiles } from '../../../scripts/chart/files.ts';
import { configRows, elsewhere, keyOf } from '../../../scripts/chart/settings.ts';
import { asTemplateText, configDocument } from '../../../scripts/chart/template.ts';
import { valueRows } from '../../../scripts/chart/value-rows.ts';
import { valuesSchema } from '../../../scripts/chart/values.ts';
import { settingNames } from '../../../src/config/settings.ts';

const text = readFileSync(new URL('../../../charts/vexil/values.yaml', import.meta.url), 'utf8');
const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(JSON.parse(valuesSchema(valueRows(text))));

describe('the schema of the values', () => {
  test('accepts the defaults', () => {
    expect([validate(parse(text)), validate.errors]).toEqual([true, null]);
  });

  test.each<[string, object]>([
    ['settings by their keys', { config: { logLevel: 'debug', leaderElection: true, bodyLimit: '256KiB' } }],
    ['a number without quotes where a text is one', { config: { bodyLimit: 100000, trustProxy: 1 } }],
    ['an off without quotes, which is false to Helm', { config: { rateLimit: false }, audit: { retention: false } }],
    ['a list where a text is one', { config: { protectedManagers: ['helm', '@apply'], trustProxy: ['10.0.0.0/8'] } }],
    ['what a chart around it says to all', { global: { anything: 1 } }],
    ['a group without one of its values, which has its default', { audit: { sqlite: { size: '5Gi' } } }],
    ['what Kubernetes knows better', { affinity: { podAffinity: {} }, tolerations: [{ operator: 'Exists' }] }],
    ['every namespace', { watch: { namespaces: ['*'] } }],
  ])('accepts %s', (_, values) => {
    expect([validate(values), validate.errors]).toEqual([true, null]);
  });

  test.each<[string, object]>([
    ['an unknown value', { replica: 2 }],
    ['an unknown value in a group', { image: { repo: 'x' } }],
    ['an unknown setting', { config: { loglevel: 'debug' } }],
    ['a setting that has a value of its own', { config: { auth: 'none' } }],
    ['a setting that is none of these words', { config: { logLevel: 'trace' } }],
    ['a setting that does not look like one', { config: { bodyLimit: 'much' } }],
    ['a text where it is yes or no', { config: { leaderElection: 'no' } }],
    ['half a replica', { replicas: 1.5 }],
    ['no name of a namespace', { watch: { namespaces: ['Shop'] } }],
    ['a user name that would end a text in CEL', { admission: { trustedUsers: ["a' || true"] } }],
    ['an environment without a type', { defaults: { environments: [{ name: 'a' }] } }],
    ['an unknown field of an environment', { defaults: { environments: [{ name: 'a', type: 'test', enabld: true }] } }],
    ['a digest that is none', { image: { digest: '1.0' } }],
    ['a retention without a unit', { audit: { retention: '90' } }],
  ])('refuses %s', (_, values) => {
    expect(validate(values)).toBe(false);
  });

  test('names the place of an unknown value', () => {
    const row = { path: ['image', 'colour'], description: 'x', byDefault: 'y' };
    expect(() => valuesSchema([row])).toThrow('values.yaml has image.colour, which the schema does not contain');
  });

  test('describes every value that has a comment', () => {
    const schema = valuesSchema(valueRows(text));
    const silent = valueRows(text).filter(({ description }) => !schema.includes(JSON.stringify(description)));
    expect(silent.filter(({ path }) => path[0] !== 'config')).toEqual([]);
  });
});

describe('the rows of the values', () => {
  test.each<[string, string, readonly object[]]>([
    ['a comment above', '# What.\na: 1\n', [{ path: ['a'], description: 'What.', byDefault: 1 }]],
    ['no comment', 'a: ""\n', [{ path: ['a'], description: '', byDefault: '' }]],
    ['a comment of two lines', '# One\n# two.\na: []\n', [{ path: ['a'], description: 'One two.', byDefault: [] }]],
    [
      'a group, and the first in it',
      '# Group.\na:\n  # First.\n  b: true\n  c: null\n',
      [
        { path: ['a'], description: 'Group.', byDefault: undefined },
        { path: ['a', 'b'], description: 'First.', byDefault: true },
        { path: ['a', 'c'], description: '', byDefault: null },
      ],
    ],
    ['an empty map, which is no group', 'a: {}\n', [{ path: ['a'], description: '', byDefault: {} }]],
    [
      'a comment behind an empty line is of something else',
      '# Far.\n\na: 1\n',
      [{ path: ['a'], description: '', byDefault: 1 }],
    ],
  ])('%s', (_, yaml, want) => {
    expect(valueRows(yaml)).toEqual(want);
  });
});

describe('the settings of the chart', () => {
  test('each has a key in config, or names its replacement', () => {
    const keys = configRows().map(({ name }) => name);
    expect([...keys, ...Object.keys(elsewhere)].toSorted()).toEqual([...settingNames].toSorted());
  });

  test('keys are the names in camelCase, without the prefix', () => {
    expect(['VEXIL_LOG_LEVEL', 'VEXIL_AUTH'].map(keyOf)).toEqual(['logLevel', 'auth']);
  });
});

describe('text in templates', () => {
  test('has no meaning for Helm', () => {
    expect(asTemplateText({ a: '{{ .Values }}' })).toBe(`a: '{{ "{{" }} .Values }}'`);
  });

  test('a policy selects the operators of a release', () => {
    const policy = "- expression: request.userInfo.username != 'system:serviceaccount:vexil-system:vexil'";
    expect(forAnyOperator(policy, 'a.yaml')).toBe(
      '- expression: "!(request.userInfo.username in {{ include `vexil.operators` . }})"',
    );
  });

  test('a policy that names the operator in an unknown form is refused', () => {
    expect(() => forAnyOperator("x in ['system:serviceaccount:vexil-system:vexil']", 'a.yaml')).toThrow(
      'config/admission/a.yaml names the operator',
    );
  });

  test('a file of config/ without the expected kind is refused', () => {
    expect(() => configDocument('rbac/home.yaml', 'Deployment')).toThrow('config/rbac/home.yaml has 0 objects');
  });

  test('no file of the definitions contains template syntax of Helm', () => {
    const files = chartFiles().filter(({ path }) => path.includes('/files/crds/'));
    expect(files.length).toBeGreaterThan(0);
    for (const { text } of files) {
      expect(parse(text).metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    }
  });
});
