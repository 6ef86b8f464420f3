/** What PUT and PATCH …/variants refuse. Each refusal writes nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('variants-refused', { settings: { VEXIL_BODY_LIMIT: '1000000' } });
  const { home } = instance;
  const variants = [{ name: 'a' }, { name: 'b' }];
  await instance.apply(aFlag(`${home}/guarded`, { variants }), aFlag(`${home}/stowed`, { variants, archived: true }));
});
afterAll(() => instance.stop());

const request = '/projects/shop/features/guarded/variants';
const refused = async (method: string, body: unknown, words: readonly string[]) => {
  const message = await instance.refuses(`${method} ${request}`, { status: 400, name: 'ValidationError', body });
  for (const word of words) expect(message).toContain(word);
};
const fix = (name: string, weight: number) => ({ name, weightType: 'fix', weight });

describe('400, naming the property and the value', () => {
  const broken: readonly [string, object[], string[]][] = [
    ['no variable variant', [fix('a', 100)], ['at least one variant must have weightType variable', '"weight":100']],
    ['fixed weights of 1000', [fix('a', 1000), { name: 'b' }], ['less than 1000', 'You sent 1000.']],
    ['fixed weights above 1000', [fix('a', 700), fix('b', 501), { name: 'c' }], ['less than 1000', 'You sent 1201.']],
    ['a name twice', [{ name: 'a' }, { name: 'b' }, { name: 'a' }], ['2.name`', 'a name of its own', '"a"']],
    [
      'all of that at once',
      [fix('a', 900), fix('a', 900)],
      ['weightType variable', 'You sent 1800.', '1.name`', 'a name of its own'],
    ],
  ];

  test.each(broken)('rules of the list: %s', async (_, body, words) => {
    await refused('PUT', body, words);
  });

  test.each(broken.slice(-2))('rules of the list, broken by a patch: %s', async (_, list, words) => {
    const added = list.map((value, index) => ({ op: 'add', path: `/${index}`, value }));
    const removed = [
      { op: 'remove', path: '/0' },
      { op: 'remove', path: '/0' },
    ];
    await refused('PATCH', [...removed, ...added], ['`variants', ...words]);
  });

  const misfits: readonly [string, object, string[]][] = [
    ['a fraction of a thousandth', { name: 'x', weight: 0.5 }, ['.weight`', 'int', '0.5']],
    ['a negative weight', { name: 'x', weight: -1 }, ['.weight`', '-1', '0']],
    ['a weight above 1000', { name: 'x', weight: 1001 }, ['.weight`', '1001', '1000']],
    ['a weight as text', { name: 'x', weight: '500' }, ['.weight`', '"500"']],
    ['a weight that is null', { name: 'x', weight: null }, ['.weight`', 'null']],
    ['fix without a weight', { name: 'x', weightType: 'fix' }, ['.weight`', 'fix needs a weight']],
    ['an unknown weightType', { name: 'x', weightType: 'fixed' }, ['.weightType`', '"fixed"', 'fix, variable']],
    ['no name', { weight: 1 }, ['.name`', 'required']],
    ['an empty name', { name: '' }, ['.name`', '""']],
    ['a name that is not URL friendly', { name: 'a b' }, ['.name`', 'URL friendly', '"a b"']],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, ['.name`', '100']],
    ['a property that variants do not have', { name: 'x', colour: 'blue' }, ['colour', '"blue"', 'unknown']],
    ['stickiness as a number', { name: 'x', stickiness: 5 }, ['.stickiness`', '5']],
    ['a payload as text', { name: 'x', payload: 'p' }, ['.payload`', '"p"']],
    ['a payload without a value', { name: 'x', payload: { type: 'string' } }, ['.payload.value`', 'required']],
    ['a payload without a type', { name: 'x', payload: { value: 'v' } }, ['.payload.type`', 'required']],
    [
      'an unknown type of payload',
      { name: 'x', payload: { type: 'xml', value: '' } },
      ['.payload.type`', '"xml"', 'json, csv, string, number'],
    ],
    ['a payload value as a number', { name: 'x', payload: { type: 'number', value: 1 } }, ['.payload.value`', '1']],
    [
      'a payload of type json that does not parse',
      { name: 'x', payload: { type: 'json', value: '{"a":' } },
      ['.payload.value`', 'parses as JSON', String.raw`{\"a\":`],
    ],
    [
      'a payload of type number that is none',
      { name: 'x', payload: { type: 'number', value: '12px' } },
      ['.payload.value`', 'is a number', '12px'],
    ],
    ['more in a payload', { name: 'x', payload: { type: 'string', value: '', extra: 1 } }, ['.payload`', 'extra']],
    ['overrides as an object', { name: 'x', overrides: {} }, ['.overrides`', '{}']],
    ['an override without values', { name: 'x', overrides: [{ contextName: 'a' }] }, ['.overrides.0.values`']],
    [
      'an override with values that are numbers',
      { name: 'x', overrides: [{ contextName: 'a', values: [1] }] },
      ['.overrides.0.values.0`', '1'],
    ],
    ['more in an override', { name: 'x', overrides: [{ contextName: 'a', values: [], x: 1 }] }, ['.overrides.0`', 'x']],
    [
      'more overrides than the API server takes',
      { name: 'x', overrides: Array.from({ length: 101 }, () => ({ contextName: 'a', values: [] })) },
      ['overrides', '101', '100'],
    ],
  ];

  test.each(misfits)('one variant: %s', async (_, variant, words) => {
    await refused('PUT', [{ name: 'first' }, variant], words);
  });

  // The patched list is checked as a sent one is.
  test.each(misfits.filter((_, index) => index % 8 === 0))('one variant of a patch: %s', async (_, variant, words) => {
    await refused('PATCH', [{ op: 'add', path: '/-', value: variant }], words);
  });

  test.each<[string, unknown, string[]]>([
    ['an object', { variants: [] }, ['body', '{"variants":[]}']],
    ['null', null, ['body', 'null']],
    ['text', '"variants"', ['body', '"variants"']],
    ['a list of text', ['a'], ['`0`', '"a"']],
    ['a list with null', [{ name: 'a' }, null], ['`1`', 'null']],
  ])('a body that is %s', async (_, body, words) => {
    await refused('PUT', body, words);
  });

  test('more than 100 overrides of a variant', async () => {
    const overrides = Array.from({ length: 101 }, () => ({ contextName: 'userId', values: ['1'] }));
    await refused(
      'PUT',
      [{ name: 'a', overrides }],
      ['`0.overrides`', 'not have more than 100 entries', 'You sent 101.'],
    );
  });

  test('more than 100 variants', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `v${index}` }));
    await refused('PUT', names(101), ['not have more than 100 entries', 'You sent 101.']);
    const added = names(99).map((value) => ({ op: 'add', path: '/-', value }));
    await refused('PATCH', added, ['`variants`', 'not have more than 100 entries', 'You sent 101.']);
    expect((await instance.untouched(`PUT ${request}?dryRun=true`, { body: names(100) })).status).toBe(200);
  });

  test.each<[string, object[], string[]]>([
    ['remove behind the last', [{ op: 'remove', path: '/2' }], ['operation 0', '/2', 'unresolvable']],
    ['add behind the end', [{ op: 'add', path: '/3', value: { name: 'x' } }], ['operation 0', '/3']],
    ['an index that is a word', [{ op: 'remove', path: '/a' }], ['operation 0', '/a']],
    ['the list as a whole', [{ op: 'replace', path: '', value: [] }], ['`0.path`', '""']],
    ['a test that fails', [{ op: 'test', path: '/0/name', value: 'z' }], ['operation 0', 'the value is']],
    ['a name removed', [{ op: 'remove', path: '/0/name' }], ['`variants.0.name`', 'required']],
    ['a property added', [{ op: 'add', path: '/0/colour', value: 'blue' }], ['`variants.0`', 'colour']],
    ['__proto__', [{ op: 'add', path: '/__proto__/x', value: 1 }], ['operation 0', '__proto__']],
    [
      'a later operation that cannot be applied',
      [
        { op: 'remove', path: '/0' },
        { op: 'remove', path: '/1' },
      ],
      ['operation 1', '/1'],
    ],
  ])('a patch: %s', async (_, body, words) => {
    await refused('PATCH', body, words);
  });

  test('10,000 operations', async () => {
    const body = Array.from({ length: 10_000 }, () => ({ op: 'replace', path: '/0/stickiness', value: 'x' }));
    await refused('PATCH', body, ['not have more than 1000 entries', 'You sent 10000.']);
  });
});

test.each([
  ['PUT', [{ name: 'x' }]],
  ['PATCH', [{ op: 'add', path: '/-', value: { name: 'x' } }]],
])('%s: 400 ArchivedFeatureError for an archived flag', async (method, body) => {
  const archived = { status: 400, name: 'ArchivedFeatureError', body };
  const message = await instance.refuses(`${method} /projects/shop/features/stowed/variants`, archived);
  expect(message).toContain('"stowed"');
});

test.each([
  ['PUT', [{ name: 'x' }]],
  ['PATCH', [{ op: 'add', path: '/-', value: { name: 'x' } }]],
])('%s: 404 for a flag that does not exist or is in another project', async (method, body) => {
  const missing = { status: 404, name: 'NotFoundError', body };
  await instance.refuses(`${method} /projects/shop/features/no-such/variants`, missing);
  await instance.refuses(`${method} /projects/pay/features/guarded/variants`, missing);
  await instance.refuses(`${method} /projects/no-such/features/guarded/variants`, missing);
});
