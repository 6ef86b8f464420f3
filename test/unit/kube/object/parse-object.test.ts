import { describe, expect, test } from 'vitest';
import { parseObject } from '../../../../src/kube/object/parse-object.ts';
import { PROBE, rawProbe } from '../../../support/probe.ts';

describe('status', () => {
  const statusOf = (status: unknown) => parseObject(PROBE, { ...rawProbe({ version: 1, spec: {} }), status }).status;

  test('that does not fit its schema counts as none', () => {
    expect(statusOf({ seen: 'long ago' })).toBeUndefined();
    expect(statusOf({ seen: 1 })).toEqual({ seen: 1 });
  });

  test('that does not fit keeps what only it stores', () => {
    expect(statusOf({ seen: 'long ago', kept: 5 })).toEqual({ kept: 5 });
    expect(statusOf({ seen: 'long ago', kept: 'five' })).toBeUndefined();
    expect(statusOf('gone')).toBeUndefined();
  });
});

function parsed(spec: unknown) {
  return parseObject(PROBE, rawProbe({ version: 1, spec }));
}

describe('spec', () => {
  test('is the same object as that of the server when nothing has to be left out', () => {
    const spec = { note: 'x', parts: { a: { on: true } } };
    const probe = parsed(spec);
    expect(probe.spec).toBe(spec);
    expect(probe.rawSpec).toBe(spec);
    expect(probe.defects).toEqual([]);
  });

  test('is shared with an earlier version that has the same content, defects included, and with no other', () => {
    const versionOf = (note: string, before?: ReturnType<typeof parsed>) =>
      parseObject(PROBE, rawProbe({ version: 2, spec: { note, parts: { a: { on: 'odd' } } } }), before);
    const first = versionOf('x');
    const second = versionOf('x', first);
    expect(second.spec).toBe(first.spec);
    expect(second.rawSpec).toBe(first.rawSpec);
    expect([first.defects.length, second.defects]).toEqual([1, first.defects]);
    expect(versionOf('y', first).spec).toEqual({ note: 'y', parts: {} });
  });

  test.each([
    ['absent', undefined, {}],
    ['null', null, {}],
    ['null members at every depth', { note: null, parts: { a: null, b: { on: null } } }, { parts: { b: {} } }],
    [
      'nulls in free-form keys',
      { parameters: { a: null, b: { c: null } } },
      { parameters: { a: null, b: { c: null } } },
    ],
    ['a null free-form key', { parameters: null }, {}],
  ])('reads %s', (_, raw, want) => {
    const probe = parsed(raw);
    expect(probe.spec).toEqual(want);
    expect(probe.rawSpec).toBe(raw);
  });

  test.each([
    [
      'one bad entry of an isolated map',
      { note: 'x', parts: { a: { size: 101 }, b: {} } },
      { note: 'x', parts: { b: {} } },
      [['parts', 'a', 'size']],
    ],
    [
      'two faults in one entry',
      { parts: { a: { size: 'x', on: 'y' }, b: {} } },
      { parts: { b: {} } },
      [
        ['parts', 'a', 'on'],
        ['parts', 'a', 'size'],
      ],
    ],
    ['an isolated map that is no map', { note: 'x', parts: 'no' }, { note: 'x' }, [['parts']]],
    ['a bad member', { note: 1, group: 'g' }, { group: 'g' }, [['note']]],
    ['a list with null', { list: ['a', null], note: 'x' }, { note: 'x' }, [['list', '1']]],
    ['a spec that is no object', 'no', {}, [[]]],
  ])('leaves out %s', (...[, raw, want, paths]) => {
    const probe = parsed(raw);
    expect(probe.spec).toEqual(want);
    expect(probe.rawSpec).toBe(raw);
    expect(probe.defects.map((defect) => defect.path)).toEqual(paths);
  });

  test('names the value in a defect, shortened', () => {
    const [defect] = parsed({ group: 'g'.repeat(5000) }).defects;
    expect(defect?.message).toContain('"ggg');
    expect(defect?.message.length).toBeLessThan(200);
  });

  test('keeps a key __proto__ as an ordinary key', () => {
    const probe = parsed(JSON.parse('{"note": null, "parameters": {"__proto__": {"on": true}}}'));
    expect(Object.keys(probe.spec.parameters ?? {})).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['on']).toBeUndefined();
  });
});

test('only the presence of kubectl’s copy of the object is kept', () => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{…}', other: 'x' };
  const probe = parseObject(PROBE, rawProbe({ version: 1, metadata: { annotations } }));
  expect(probe.metadata.annotations).toEqual({
    ...annotations,
    'kubectl.kubernetes.io/last-applied-configuration': '',
  });
});

test('owners are managers of some field of the spec', () => {
  const managedFields = [
    { manager: 'flux', operation: 'Apply', time: 't', fieldsV1: { 'f:spec': { 'f:note': {} }, 'f:metadata': {} } },
    { manager: 'vexil', operation: 'Apply', subresource: 'status', fieldsV1: { 'f:spec': {} } },
    { manager: 'labels', operation: 'Update', fieldsV1: { 'f:metadata': {} } },
  ];
  const probe = parseObject(PROBE, rawProbe({ version: 1, metadata: { managedFields } }));
  expect(probe.owners).toEqual([{ manager: 'flux', operation: 'Apply', time: 't', fields: '{"f:note":{}}' }]);
});

test('a manager that has updated in two API versions is one owner, since its last write', () => {
  const fieldsV1 = [
    { 'f:spec': { 'f:note': {}, 'f:parts': { '.': {}, 'f:a': { 'f:on': {} } } } },
    { 'f:spec': { 'f:parts': { 'f:a': { 'f:size': {} }, 'f:b': {} } } },
  ];
  const update = { manager: 'argocd-controller', operation: 'Update' };
  const managedFields = [
    { ...update, apiVersion: 'vexil.dev/v1beta1', time: '2026-01-02T00:00:00Z', fieldsV1: fieldsV1[0] },
    { ...update, apiVersion: 'vexil.dev/v1beta1', time: '2026-01-01T00:00:00Z', fieldsV1: fieldsV1[1] },
  ];
  const { owners } = parseObject(PROBE, rawProbe({ version: 1, metadata: { managedFields } }));
  expect(owners.map(({ fields, ...owner }) => ({ ...owner, fields: JSON.parse(fields) }))).toEqual([
    {
      ...{ ...update, time: '2026-01-02T00:00:00Z' },
      fields: { 'f:note': {}, 'f:parts': { '.': {}, 'f:a': { 'f:on': {}, 'f:size': {} }, 'f:b': {} } },
    },
  ]);
});

test('an object without identity is refused', () => {
  expect(() => parseObject(PROBE, { metadata: { name: 'a' } })).toThrow(/lacks one of/);
});
