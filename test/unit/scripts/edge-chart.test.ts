/** The generated parts of the chart vexil-edge: the schema of its values and its settings. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { edgeConfigRows, edgeElsewhere } from '../../../scripts/chart/edge/edge-settings.ts';
import { edgeValuesSchema } from '../../../scripts/chart/edge/edge-values.ts';
import { valueRows } from '../../../scripts/chart/value-rows.ts';
import { edgeSettings, type Setting } from '../../../src/edge/setting-table.ts';
import { readEdgeSettings } from '../../../src/edge/settings.ts';
import { edgeRows } from '../../support/chart/edge-matrix.ts';

const text = readFileSync(new URL('../../../charts/vexil-edge/values.yaml', import.meta.url), 'utf8');
const schema = edgeValuesSchema(valueRows(text));
const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(JSON.parse(schema));
const rows = edgeConfigRows();

test('the schema accepts the defaults, and describes every value that has a comment', () => {
  expect([validate(parse(text)), validate.errors]).toEqual([true, null]);
  const silent = valueRows(text).filter(({ description }) => !schema.includes(JSON.stringify(description)));
  expect(silent.filter(({ path }) => path[0] !== 'config')).toEqual([]);
});

test('each setting has a key in config, which a test of the chart sets, or names its replacement', () => {
  const first = Object.values<Setting>(edgeSettings).map(({ variables: [name] }) => name);
  expect([...rows.map(({ variable }) => variable), ...Object.keys(edgeElsewhere)].toSorted()).toEqual(first.toSorted());
  const tested = Object.keys(Object(edgeRows['every setting, two upstreams and all secrets']?.values['config']));
  expect(tested.toSorted()).toEqual(rows.map(({ key }) => key).toSorted());
});

/** Whether the edge takes the value, as the chart renders it. */
function isTaken(key: string, value: unknown): boolean {
  const variable = rows.find((row) => row.key === key)?.variable ?? '';
  const environment = { VEXIL_EDGE_UPSTREAM_URL: 'https://a', VEXIL_EDGE_TOKENS: 'a', [variable]: String(value) };
  try {
    readEdgeSettings({}, environment);
    return true;
  } catch {
    return false;
  }
}

describe('a value of config', () => {
  test.each<[string, unknown]>([
    ...(['10m', '0s', '999999d'] as const).map((value) => ['trustTokensFor', value] as [string, unknown]),
    ['maxStaleness', '500ms'],
    ['featuresRefreshIntervalSeconds', 15],
    ['metricsIntervalSeconds', '60'],
    ['maxStreams', 20_000],
    ['maxConnections', 24_000],
    ['requestsPerMinute', '1'],
    ['strict', true],
    ['strict', false],
    ['basePath', '/a/b-c/'],
    ['basePath', '/'],
    ['logLevel', 'warn'],
    ['corsOrigin', '*'],
    ['corsOrigin', ['https://a.example.com']],
    ['trustedProxies', 2],
    ['trustedProxies', ['10.0.0.0/8', '::1']],
  ])('%s: %j is accepted by the schema and by the edge', (key, value) => {
    expect([validate({ config: { [key]: value } }), isTaken(key, value)]).toEqual([true, true]);
  });

  test.each<[string, unknown]>([
    ['trustTokensFor', '1w'],
    ['maxStaleness', 60],
    ['maxStaleness', '1h30m'],
    ['featuresRefreshIntervalSeconds', 0],
    ['metricsIntervalSeconds', '1.5'],
    ['maxStreams', -1],
    ['requestsPerMinute', 'off'],
    ['basePath', 'a'],
    ['basePath', '/a b'],
    ['logLevel', 'trace'],
    ['trustedProxies', -1],
  ])('%s: %j is refused by the schema and by the edge', (key, value) => {
    expect([validate({ config: { [key]: value } }), isTaken(key, value)]).toEqual([false, false]);
  });

  test.each<[string, object]>([
    ['an unknown setting', { config: { loglevel: 'debug' } }],
    ['a setting that has a value of its own', { config: { upstreamUrl: 'https://a.example.com' } }],
    ['a token in plain text', { config: { tokens: '*:production.secret' } }],
    ['a text where it is yes or no', { config: { strict: 'yes' } }],
    ['an unknown value in a group', { upstream: { url: 'https://a.example.com' } }],
    ['a volume that several pods share', { backup: { persistent: { accessModes: ['ReadWriteMany'] } } }],
  ])('the schema refuses %s', (_, values) => {
    expect(validate(values)).toBe(false);
  });
});
