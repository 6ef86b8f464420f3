/**
 * JSON Patch: applied with the result of the library, refused where RFC 6902 refuses, and cheap whatever is requested.
 */
import fc from 'fast-check';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { applyJsonPatch, type PatchOperation, patchBody } from '../../../../src/wire/admin/json-patch.ts';
import { parse } from '../../../../src/wire/parse-input.ts';
import { quietMsOf } from '../../../support/cpu-time.ts';

const list = () => ['a', 'b'];

const { applyOperation } = jsonPatch;

describe('lists', () => {
  test.each<[string, PatchOperation, unknown]>([
    ['add puts a value before what is at the index', { op: 'add', path: '/1', value: 'x' }, ['a', 'x', 'b']],
    ['add takes the index behind the last', { op: 'add', path: '/2', value: 'x' }, ['a', 'b', 'x']],
    ['add at - is at the end', { op: 'add', path: '/-', value: 'x' }, ['a', 'b', 'x']],
    ['replace keeps the place', { op: 'replace', path: '/0', value: 'x' }, ['x', 'b']],
    ['remove closes the gap', { op: 'remove', path: '/0' }, ['b']],
    ['move takes the item out before it puts it in', { op: 'move', from: '/0', path: '/1' }, ['b', 'a']],
    ['copy leaves the item where it was', { op: 'copy', from: '/0', path: '/2' }, ['a', 'b', 'a']],
  ])('%s', (_, operation, wanted) => {
    const document = list();
    expect(applyJsonPatch(document, [operation])).toEqual(wanted);
    expect(document).toEqual(list());
  });

  test.each<[string, PatchOperation]>([
    ['add behind the end', { op: 'add', path: '/3', value: 'x' }],
    ['replace behind the last', { op: 'replace', path: '/2', value: 'x' }],
    ['replace of the end', { op: 'replace', path: '/-', value: 'x' }],
    ['remove behind the last', { op: 'remove', path: '/2' }],
    ['an index that is a word', { op: 'add', path: '/first', value: 'x' }],
    ['a negative index', { op: 'add', path: '/-1', value: 'x' }],
    ['an index with leading zeros', { op: 'add', path: '/01', value: 'x' }],
    ['an index beyond 32 bits, which would be 0', { op: 'add', path: '/4294967296', value: 'x' }],
    ['one that would be negative', { op: 'add', path: '/2147483648', value: 'x' }],
    ['copy of a member that lists have', { op: 'copy', from: '/length', path: '/-' }],
    ['its length', { op: 'replace', path: '/length', value: 0 }],
    ['move behind what is left', { op: 'move', from: '/0', path: '/2' }],
    ['move of a missing item', { op: 'move', from: '/2', path: '/0' }],
    ['move into itself', { op: 'move', from: '/0', path: '/0/x' }],
    ['copy to a missing parent', { op: 'copy', from: '/0', path: '/5/x' }],
    ['copy of a missing item', { op: 'copy', from: '/2', path: '/0' }],
  ])('%s is refused', (_, operation) => {
    expect(() => applyJsonPatch(list(), [operation])).toThrow('Could not apply provided patch: operation 0');
  });
});

describe('test', () => {
  const document = { name: 'x', tags: [{ value: 'a', type: 'simple' }], owner: null };

  test.each([
    ['/name', 'x'],
    ['/tags/0', { type: 'simple', value: 'a' }],
    ['/owner', null],
  ])('of %s lets the other operations be applied', (path, value) => {
    const operations: PatchOperation[] = [
      { op: 'test', path, value },
      { op: 'replace', path: '/name', value: 'y' },
    ];
    expect(applyJsonPatch(document, operations)).toEqual({ ...document, name: 'y' });
  });

  test.each([
    ['/name', 'y', 'the value is "x"'],
    ['/tags/0', { value: 'a' }, 'the value is {"value":"a"'],
    ['/tags/1', null, '"/tags/1" is unresolvable'],
    ['/toString', 'x', 'it names a member that every object has'],
  ])('of %s refuses them all', (path, value, why) => {
    const operations: PatchOperation[] = [
      { op: 'replace', path: '/owner', value: 'z' },
      { op: 'test', path, value },
    ];
    expect(() => applyJsonPatch(document, operations)).toThrow(why);
  });
});

describe('of a document with texts', () => {
  const first = { op: 'replace', path: '/description', value: 'must not be written' };

  test.each<[string, unknown, string[]]>([
    ['no op', { path: '/name', value: 1 }, ['`1.op`', 'required']],
    ['no path', { op: 'remove' }, ['`1.path`', 'required']],
    ['no value', { op: 'add', path: '/description' }, ['`1.value`', 'required']],
    ['no from', { op: 'copy', path: '/description' }, ['`1.from`', 'required']],
    ['a wrong escape', { op: 'remove', path: '/a~2b' }, ['`1.path`', '"/a~2b"']],
    ['the whole document', { op: 'replace', path: '', value: {} }, ['`1.path`', '""']],
    ['a path that is a number', { op: 'remove', path: 3 }, ['`1.path`', '3']],
    ['an operation that is text', 'remove', ['`1`', '"remove"']],
    ['replace of a missing member', { op: 'replace', path: '/nope', value: 1 }, ['operation 1', '/nope']],
    ['a missing parent', { op: 'add', path: '/nope/deeper', value: 1 }, ['operation 1', '/nope/deeper']],
    ['a parent that is text', { op: 'add', path: '/name/x', value: 1 }, ['operation 1', '/name/x']],
    ['the end of what is no list', { op: 'add', path: '/description/-', value: 1 }, ['operation 1', '/description/-']],
    ['copy of a missing member', { op: 'copy', from: '/nope', path: '/description' }, ['operation 1', 'from']],
    ['copy from a missing parent', { op: 'copy', from: '/nope/x', path: '/description' }, ['operation 1', 'from']],
    ['move of a missing member', { op: 'move', from: '/nope', path: '/description' }, ['operation 1', 'from']],
    ['constructor', { op: 'add', path: '/constructor/prototype/polluted', value: 1 }, ['operation 1', 'constructor']],
    ['copy from __proto__', { op: 'copy', from: '/__proto__/toString', path: '/description' }, ['operation 1']],
    ['an inherited member', { op: 'copy', from: '/toString', path: '/description' }, ['operation 1', '/toString']],
  ])('%s is refused, with the place and the value', (_, operation, words) => {
    const document = { name: 'x', description: 'before', stale: true };
    const apply = () => applyJsonPatch(document, parse(patchBody, [first, operation], 'body'));
    for (const word of words) expect(apply).toThrow(word);
    expect(document.description).toBe('before');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

const keys = ['a', '0', '1', '-', 'a/b', 'a~b'];
const pointer = fc
  .array(fc.constantFrom(...keys.map(jsonPatch.escapePathComponent)), { minLength: 1, maxLength: 2 })
  .map((path) => `/${path.join('/')}`);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.integer({ min: 0, max: 9 }),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...keys), tie('json')),
  ),
}));
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace'), path: pointer, value: json }),
  fc.record({ op: fc.constant('remove'), path: pointer }),
  fc.record({ op: fc.constantFrom('copy', 'move'), path: pointer, from: pointer }),
);
const document = fc.oneof(
  fc.array(json, { minLength: 2 }),
  fc.dictionary(fc.constantFrom(...keys), json, { minKeys: 3 }),
);

/** RFC 6902 §4.4 and §4.5 define move and copy: with these definitions, the checks of the library are the reference. */
function asTheLibraryDoes(document: unknown, operations: readonly PatchOperation[]): unknown {
  return operations.reduce((present, operation) => {
    const { op, path } = operation;
    if (op !== 'move' && op !== 'copy') return applyOperation(present, operation as Operation, true).newDocument;
    if (op === 'move' && path.startsWith(`${operation.from}/`)) throw new Error('into itself');
    const value = structuredClone(jsonPatch.getValueByPointer(present, operation.from));
    if (op === 'move') applyOperation(present, { op: 'remove', path: operation.from }, true);
    return applyOperation(present, { op: 'add', path, value }, true).newDocument;
  }, structuredClone(document));
}

test('an operation has the result of the library, or is refused as by the library', () => {
  const counts = { applied: 0, refused: 0 };
  fc.assert(
    fc.property(document, fc.array(operation, { minLength: 1, maxLength: 3 }), (before, operations) => {
      const ours = outcome(() => applyJsonPatch(before, patchBody.parse(operations)));
      counts[ours.recorded] += 1;
      expect(ours).toEqual(outcome(() => asTheLibraryDoes(before, structuredClone(patchBody.parse(operations)))));
    }),
    { seed: 6902, numRuns: 1500 },
  );
  expect(Math.min(counts.applied, counts.refused)).toBeGreaterThan(250);
});

function outcome(run: () => unknown): { recorded: 'applied' | 'refused'; value?: unknown } {
  try {
    return { recorded: 'applied', value: run() };
  } catch {
    return { recorded: 'refused' };
  }
}

describe('cost', () => {
  const numbers = Array.from({ length: 28_000 }, () => 1);
  const toAndFro = Array.from({ length: 998 }, (_, index) => ({
    op: 'move',
    from: index % 2 === 0 ? '/a' : '/b',
    path: index % 2 === 0 ? '/b' : '/a',
  }));

  test.each<[string, object[]]>([
    ['moving something large', [{ op: 'add', path: '/a', value: numbers }, ...toAndFro]],
    [
      'moving something small beside it',
      [{ op: 'add', path: '/n', value: numbers }, { op: 'add', path: '/a', value: 1 }, ...toAndFro],
    ],
    [
      'copying something small beside it',
      [
        { op: 'add', path: '/n', value: numbers },
        ...Array.from({ length: 999 }, () => ({ op: 'copy', from: '/name', path: '/b' })),
      ],
    ],
    [
      'moving something to the front of as many as a list of a flag can have',
      [
        { op: 'add', path: '/n', value: numbers.slice(0, 500) },
        ...Array.from({ length: 999 }, () => ({ op: 'move', from: '/n/499', path: '/n/0' })),
      ],
    ],
  ])('a thousand times %s takes less than 100 ms of computing', (_, operations) => {
    const body = patchBody.parse(operations);
    applyJsonPatch({ name: 'flag' }, body);
    expect(quietMsOf(() => applyJsonPatch({ name: 'flag' }, body))).toBeLessThan(100);
  });

  test.each<[string, object]>([
    ['adding', { op: 'add', path: '/n/0', value: 1 }],
    ['removing', { op: 'remove', path: '/n/0' }],
    ['moving', { op: 'move', from: '/n/27999', path: '/n/0' }],
    ['copying', { op: 'copy', from: '/name', path: '/n/0' }],
  ])('%s before a long list again and again is refused: each moves all of it', (_, operation) => {
    const operations = [{ op: 'add', path: '/n', value: numbers }, ...Array.from({ length: 999 }, () => operation)];
    expect(() => applyJsonPatch({ name: 'flag' }, patchBody.parse(operations))).toThrow(
      /operation 3\d, .*: the operations shift more than 1000000 entries of lists/,
    );
  });

  test('a document that each operation nests deeper is refused', () => {
    const nested = JSON.parse(`${'['.repeat(61)}${']'.repeat(61)}`);
    const deeper = Array.from({ length: 100 }, () => [
      { op: 'add', path: '/y', value: nested },
      { op: 'move', from: '/x', path: `/y${'/0'.repeat(60)}/0` },
      { op: 'move', from: '/y', path: '/x' },
    ]).flat();
    const body = patchBody.parse([{ op: 'add', path: '/x', value: nested }, ...deeper]);
    expect(() => applyJsonPatch({}, body)).toThrow('nested deeper than 64 levels');
  });
});
