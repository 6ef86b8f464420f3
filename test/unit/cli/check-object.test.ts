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
