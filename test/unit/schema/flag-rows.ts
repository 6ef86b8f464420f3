/** Specs of flags at both sides of each rule, pattern and bound, except those about strategies. */
import { fits, long, many, manyKeys, refused, twoUnits } from './spec-row.ts';

const wireNames: readonly (readonly [string, boolean])[] = [
  ['a', true],
  ["A-Za-z0-9-_.!~*'()", true],
  [long(100), true],
  ['...', true],
  ['.', false],
  ['..', false],
  ['a b', false],
  ['a/b', false],
  ['ä', false],
  ['a\n', false],
  ['', false],
  [long(101), false],
];

const nameSays = /URL friendly|should be at least 1 chars|Too long/;

const wireNameRows = wireNames.flatMap(([name, ok]) => {
  const places = [
    ['name', { name }, 'spec.name'],
    ['project', { project: name }, 'spec.project'],
    ['key of an environment', { environments: { [name]: {} } }, 'spec.environments'],
    ['name of a variant', { variants: [{ name }] }, 'spec.variants[0].name'],
  ] as const;
  return places.map(([what, spec, field]) => {
    const title = `${what} ${JSON.stringify(name)}`;
    return ok ? fits(title, spec) : refused(title, spec, [field, nameSays]);
  });
});

const tags: readonly (readonly [string, boolean])[] = [
  ['simple:payments', true],
  ['simple:a:b', true],
  ['simple:a b', true],
  ['si:pa', true],
  [`${long(50)}:${long(50)}`, true],
  [`simple:${twoUnits(50)}`, true],
  ['simple:ä\r', true],
  ['s:pa', false],
  ['si:p', false],
  ['si:😀', false],
  ['sim ple:pa', false],
  ['simple', false],
  [`${long(51)}:pa`, false],
  [`simple:${long(51)}`, false],
  ['simple:a\nb', false],
];

const tagRows = tags.map(([tag, ok]) => {
  const title = `tag ${JSON.stringify(tag)}`;
  return ok
    ? fits(title, { tags: [tag] })
    : refused(title, { tags: [tag] }, ['spec.tags[0]', /type:value|Too long|should match/]);
});

const variants = (...list: readonly object[]) => ({ variants: list });
const dependencies = (...list: readonly object[]) => ({ dependencies: list });
const dependencyRows = [
  fits('ten dependencies', dependencies(...many(10, (n) => ({ feature: `parent-${n}`, enabled: false })))),
  refused('too many dependencies', dependencies(...many(11, (n) => ({ feature: `parent-${n}` }))), [
    'spec.dependencies',
    '10',
  ]),
  fits('a dependency on variants', dependencies({ feature: 'a', variants: ['blue'] })),
  fits('dependencies that are null', { dependencies: null }),
  refused('a parent that is there twice', dependencies({ feature: 'a' }, { feature: 'a', enabled: false }), [
    'spec.dependencies',
    'once only',
  ]),
  refused('a parent that is no name', dependencies({ feature: 'a b' }), [
    'spec.dependencies[0].feature',
    'URL friendly',
  ]),
  refused('a dependency without parent', dependencies({}), ['spec.dependencies[0].feature', 'Required']),
];

const fix = (weight: number, name = 'fixed') => ({ name, weightType: 'fix', weight });
const free = { name: 'free' };
const environment = (value: unknown) => ({ environments: { production: value } });

export const flagRows = [
  ...dependencyRows,
  fits('no spec', undefined),
  fits('spec: null', null),
  fits('an empty spec', {}),
  fits('everything that may be null is null', { tags: null, variants: null, environments: null }),
  fits('an environment that is null', environment(null)),
  fits('strategies and variants that are null', environment({ strategies: null, variants: null })),
  ...wireNameRows,

  fits('type kill-switch', { type: 'kill-switch' }),
  refused('an unknown type', { type: 'permanent' }, ['spec.type', /Unsupported value.*kill-switch/]),
  refused('a type in capitals', { type: 'Release' }, ['spec.type', 'Unsupported value']),
  fits('the longest description', { description: long(4096) }),
  fits('the longest description in characters of two code units', { description: twoUnits(4096) }),
  refused('a description too long', { description: long(4097) }, ['spec.description', '4096']),
  refused('a description that is a number', { description: 5 }, ['spec.description', 'must be of type string']),
  refused('stale as text', { stale: 'true' }, ['spec.stale', 'must be of type boolean']),
  refused('archived as a number', { archived: 1 }, ['spec.archived', 'must be of type boolean']),
  refused('impressionData as text', { impressionData: 'no' }, ['spec.impressionData', 'must be of type boolean']),
  fits('the shortest lifetime', { lifetimeDays: 1 }),
  fits('the longest lifetime', { lifetimeDays: 3650 }),
  refused('a lifetime of no day', { lifetimeDays: 0 }, ['spec.lifetimeDays', 'greater than or equal to 1']),
  refused('a lifetime too long', { lifetimeDays: 3651 }, ['spec.lifetimeDays', 'less than or equal to 3650']),
  refused('a lifetime that is not whole', { lifetimeDays: 1.5 }, ['spec.lifetimeDays', 'integer']),
  refused('a spec that is text', 'on', ['spec', 'must be of type object']),

  ...tagRows,
  fits('no tags', { tags: [] }),
  fits('a hundred tags', { tags: many(100, (n) => `simple:t${n}`) }),
  refused('too many tags', { tags: many(101, (n) => `simple:t${n}`) }, ['spec.tags', '100']),
  refused('the same tag twice', { tags: ['simple:aa', 'simple:aa'] }, ['spec.tags[1]', 'Duplicate value']),

  fits('an empty list of variants', variants()),
  fits('one variant', variants(free)),
  fits('a variable variant that says so', variants({ name: 'v', weightType: 'variable' })),
  refused('fixed variants only', variants(fix(100)), [
    'spec.variants',
    'at least one variant must have weightType variable',
  ]),
  fits('fixed weights just below everything', variants(fix(999), free)),
  refused('fixed weights that take everything', variants(fix(1000), free), ['spec.variants', 'less than 1000']),
  refused('fixed weights that take everything together', variants(fix(500, 'a'), fix(500, 'b'), free), [
    'spec.variants',
    'less than 1000',
  ]),
  fits('the weight of a variable variant does not count', variants({ name: 'v', weight: 1000 }, fix(999))),
  refused('a weight above everything', variants({ name: 'v', weight: 1001 }), ['spec.variants[0].weight', '1000']),
  refused('a negative weight', variants({ name: 'v', weight: -1 }), [
    'spec.variants[0].weight',
    'greater than or equal to 0',
  ]),
  refused('a weight that is not whole', variants({ name: 'v', weight: 1.5 }), ['spec.variants[0].weight', 'integer']),
  refused('two variants of one name', variants(free, free), ['spec.variants', 'a name of its own']),
  fits('names of variants that differ in case', variants({ name: 'v' }, { name: 'V' })),
  refused('a variant without a name', variants({ weight: 1 }), ['spec.variants[0].name', 'Required']),
  refused('a variant that is null', { variants: [null] }, ['spec.variants[0]', 'must be of type object']),
  refused('an unknown weightType', variants({ name: 'v', weightType: 'fixed' }), [
    'spec.variants[0].weightType',
    'Unsupported',
  ]),
  fits('a payload', variants({ name: 'v', payload: { type: 'json', value: '{}' } })),
  fits('a payload that is null', variants({ name: 'v', payload: null })),
  refused('an unknown type of payload', variants({ name: 'v', payload: { type: 'xml', value: '' } }), [
    'spec.variants[0].payload.type',
    /Unsupported value.*json/,
  ]),
  refused('a payload without a value', variants({ name: 'v', payload: { type: 'json' } }), [
    'spec.variants[0].payload.value',
    'Required',
  ]),
  fits('the longest payload', variants({ name: 'v', payload: { type: 'string', value: long(65536) } })),
  refused('a payload too long', variants({ name: 'v', payload: { type: 'string', value: long(65537) } }), [
    'spec.variants[0].payload.value',
    '65536',
  ]),
  fits('overrides', variants({ name: 'v', overrides: [{ contextName: 'userId', values: ['1'] }] })),
  refused('an override without values', variants({ name: 'v', overrides: [{ contextName: 'userId' }] }), [
    'spec.variants[0].overrides[0].values',
    'Required',
  ]),
  fits('a hundred variants', { variants: many(100, (n) => ({ name: `v${n}` })) }),
  refused('too many variants', { variants: many(101, (n) => ({ name: `v${n}` })) }, ['spec.variants', '100']),

  fits('thirty environments', { environments: manyKeys(30, {}) }),
  refused('too many environments', { environments: manyKeys(31, {}) }, ['spec.environments', '30']),
  refused('environments as a list', { environments: ['production'] }, ['spec.environments', 'must be of type object']),
  refused('enabled as text', environment({ enabled: 'true' }), ['spec.environments.production.enabled', 'boolean']),
  fits('eighty variants in an environment', environment({ variants: many(80, (n) => ({ name: `v${n}` })) })),
  refused('too many variants in an environment', environment({ variants: many(81, (n) => ({ name: `v${n}` })) }), [
    'spec.environments.production.variants',
    '80',
  ]),
  refused('fixed variants only in an environment', environment({ variants: [fix(1)] }), [
    'spec.environments[production].variants',
    'weightType variable',
  ]),
  fits(
    'a window with two zones',
    environment({ activeFrom: '2026-03-01T09:00:00+01:00', activeUntil: '2026-03-01T08:00:00.001Z' }),
  ),
  refused(
    'a window that ends when it begins',
    environment({ activeFrom: '2026-03-01T09:00:00+01:00', activeUntil: '2026-03-01T08:00:00Z' }),
    ['spec.environments[production].activeUntil', 'must be after activeFrom'],
  ),
  fits('a window without an end', environment({ activeFrom: '2026-03-01T09:00:00Z' })),
  refused('a window from a day', environment({ activeFrom: '2026-03-01' }), [
    'spec.environments.production.activeFrom',
    /should match|date-time/,
  ]),
];
