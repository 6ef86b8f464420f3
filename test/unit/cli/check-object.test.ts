/**
 * The command line and the API server refuse the same objects: test/integration/crd-rules.test.ts sends the same rows
 * to a real one.
 */
import { describe, expect, test } from 'vitest';
import { objectChecker } from '../../../cli/lint/check-object.ts';
import { keysOfPath } from '../../../cli/manifests/field-path.ts';
import { registry } from '../../../src/kinds/registry.ts';
import { API_VERSION } from '../../../src/model/kind.ts';
import type { KindName } from '../../../src/schema/kinds.ts';
import { namespaceRows, objectRows } from '../schema/object-rows.ts';
import { rowsByKind, titled } from '../schema/rule-rows.ts';

const check = objectChecker();

/** The paths of the problems of an object in JSON. */
function pathsOf(name: KindName, { metadata = {}, spec }: { readonly metadata?: object; readonly spec: unknown }) {
  const object = {
    apiVersion: API_VERSION,
    kind: registry[name].kind.kind,
    metadata: { name: 'x', ...metadata },
    spec,
  };
  return check(name, JSON.parse(JSON.stringify(object))).map(({ path }) => path);
}

describe.each(rowsByKind)('%s', (name, { always, whenWritten }) => {
  test.each([...always, ...whenWritten].map(titled))('%s %s', (_verb, _title, { spec, refused }) => {
    const found = pathsOf(name, { spec });
    if (refused === undefined) expect(found).toEqual([]);
    else expect(found).toContainEqual(keysOfPath(refused.field));
  });
});

test.each(objectRows.map(titled))('%s %s', (_verb, _title, { refused, kind, ...object }) => {
  const found = pathsOf(kind, object);
  if (refused === undefined) expect(found).toEqual([]);
  const above = keysOfPath(refused?.field ?? '');
  expect(found.map((path) => path.slice(0, above.length))).toEqual(refused ? expect.arrayContaining([above]) : []);
});

test.each(namespaceRows)('the namespace %s: %s', (namespace, ok) => {
  expect(pathsOf('flags', { metadata: { namespace }, spec: {} })).toEqual(ok ? [] : [['metadata', 'namespace']]);
});

test('the fields of metadata that the API server writes have the types that kubectl reads', () => {
  const found = Object.entries({
    creationTimestamp: ['2026-12-01T00:00:00Z', null, 'yesterday', 5, '2026-12-01', '2026-12-01 00:00:00Z'],
    deletionTimestamp: ['2026-12-01T00:00:00.25+01:00', null, '', '2026-12-01t00:00:00z'],
    generation: [7, null, 'x', 1.5],
    deletionGracePeriodSeconds: [0, null, '0'],
    ownerReferences: [[], [{ name: 'x' }], null, 'x', ['x']],
    managedFields: [[], null, {}],
    generateName: ['x', null, 5],
    uid: ['x', null, 5],
    resourceVersion: ['1', null, 1],
    selfLink: ['x', null, []],
  }).flatMap(([field, values]) =>
    values
      .filter((value) => pathsOf('flags', { metadata: { [field]: value }, spec: {} }).length > 0)
      .map((value) => `${field} ${JSON.stringify(value)}`),
  );
  expect(found).toEqual([
    ...['"yesterday"', '5', '"2026-12-01"', '"2026-12-01 00:00:00Z"'].map((text) => `creationTimestamp ${text}`),
    ...['""', '"2026-12-01t00:00:00z"'].map((text) => `deletionTimestamp ${text}`),
    ...['"x"', '1.5'].map((text) => `generation ${text}`),
    'deletionGracePeriodSeconds "0"',
    ...['"x"', '["x"]'].map((text) => `ownerReferences ${text}`),
    'managedFields {}',
    ...['generateName 5', 'uid 5', 'resourceVersion 1', 'selfLink []'],
  ]);
});

test('of many errors of an object, the first ones are named and the others are counted', () => {
  const unknown = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`unknown-${index}`, 1]));
  const spec = { ...unknown, tags: Array.from({ length: 20_000 }, () => 'simple:a') };
  const object = { apiVersion: API_VERSION, kind: 'FeatureFlag', metadata: { name: 'x' }, spec };
  const found = check('flags', object);
  expect(found.length).toBe(101);
  expect(found.at(-1)?.message).toMatch(/^the object has \d+ more errors: correct these first$/);
});
