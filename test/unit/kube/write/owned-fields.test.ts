/** The fields that a change would take from other owners, by managedFields. */
import { describe, expect, test } from 'vitest';
import { ownedFields, refuseOwned } from '../../../../src/kube/write/owned-fields.ts';
import { featureFlag } from '../../../../src/schema/feature-flag.ts';
import { anOwnedObject, anOwner, WRITTEN_AT } from '../../../support/owned-object.ts';

const fieldWithOwners = {};
const isProtected = () => true;

interface Case {
  readonly before: object;
  readonly after: object;
  readonly fields: object;
  readonly want: readonly string[];
  readonly by?: 'Apply' | 'Update';
}

function pathsTaken({ before, after, fields, by = 'Apply' }: Case): readonly string[] {
  const object = anOwnedObject(before, [anOwner('tool', fields, by)]);
  return ownedFields({ kind: featureFlag, object, after }, isProtected).map(({ path }) => path);
}

const inProduction = (production: object) => ({ environments: { production } });
const strategies = (some: object) => inProduction({ strategies: some });
const ownedInProduction = (production: object) => ({ 'f:environments': { 'f:production': production } });
const ownedStrategies = (some: object) => ownedInProduction({ 'f:strategies': some });

const cases: Readonly<Record<string, Case>> = {
  'a value that is held': {
    before: inProduction({ enabled: false }),
    after: inProduction({ enabled: true }),
    fields: ownedInProduction({ 'f:enabled': fieldWithOwners }),
    want: ['spec.environments.production.enabled'],
  },
  'a value that is held and stays': {
    before: { description: 'd', ...inProduction({ enabled: false }) },
    after: { description: 'e', ...inProduction({ enabled: false }) },
    fields: ownedInProduction({ 'f:enabled': fieldWithOwners }),
    want: [],
  },
  'a value beside the one that is held': {
    before: inProduction({ enabled: true, strategies: { a: { name: 'default' } } }),
    after: inProduction({ enabled: false, strategies: { a: { name: 'default' } } }),
    fields: ownedStrategies({ 'f:a': { '.': {}, 'f:name': fieldWithOwners } }),
    want: [],
  },
  'a new member of a map that is held': {
    before: strategies({ a: { name: 'default' } }),
    after: strategies({ a: { name: 'default' }, b: { name: 'default' } }),
    fields: ownedStrategies({ '.': {}, 'f:a': { '.': {}, 'f:name': fieldWithOwners } }),
    want: [],
  },
  'a new member of an empty map that is held': {
    before: strategies({}),
    after: strategies({ a: { name: 'default' } }),
    fields: ownedStrategies({}),
    want: [],
  },
  'an item that goes, once, without what is in it': {
    before: strategies({ a: { name: 'default', title: 't' } }),
    after: strategies({}),
    fields: ownedStrategies({ 'f:a': { '.': {}, 'f:name': fieldWithOwners } }),
    want: ['spec.environments.production.strategies.a'],
  },
  'an item of which only something inside is held, when it goes': {
    before: strategies({ a: { name: 'default', title: 't' } }),
    after: strategies({}),
    fields: ownedStrategies({ 'f:a': { 'f:title': fieldWithOwners } }),
    want: ['spec.environments.production.strategies.a.title'],
  },
  'an item that becomes null': {
    before: strategies({ a: { name: 'default' } }),
    after: strategies({ a: null }),
    fields: ownedStrategies({ 'f:a': { '.': {} } }),
    want: ['spec.environments.production.strategies.a'],
  },
  'a null that becomes absent': {
    before: strategies({ a: null }),
    after: strategies({}),
    fields: ownedStrategies({ 'f:a': {} }),
    want: [],
  },
  'a map that was null': {
    before: { environments: { production: null } },
    after: inProduction({ enabled: true }),
    fields: ownedInProduction({}),
    want: [],
  },
  'an atomic list of which one item changes': {
    before: { variants: [{ name: 'a' }, { name: 'b' }] },
    after: { variants: [{ name: 'a' }, { name: 'c' }] },
    fields: { 'f:variants': fieldWithOwners },
    want: ['spec.variants'],
  },
  'an entry that is added to a set': {
    before: { tags: ['simple:a'] },
    after: { tags: ['simple:a', 'simple:b'] },
    fields: { 'f:tags': { 'v:"simple:a"': fieldWithOwners } },
    want: [],
  },
  'an entry that goes from a set': {
    before: { tags: ['simple:a', 'simple:b'] },
    after: { tags: ['simple:b'] },
    fields: { 'f:tags': { 'v:"simple:a"': fieldWithOwners } },
    want: ['spec.tags["simple:a"]'],
  },
  'an entry of somebody else that goes from a set': {
    before: { tags: ['simple:a', 'simple:b'] },
    after: { tags: ['simple:a'] },
    fields: { 'f:tags': { '.': {}, 'v:"simple:a"': fieldWithOwners } },
    want: [],
  },
  'a set that an applier on the client side would replace': {
    before: { tags: ['simple:a'] },
    after: { tags: ['simple:a', 'simple:b'] },
    fields: { 'f:tags': { '.': {}, 'v:"simple:a"': fieldWithOwners } },
    by: 'Update',
    want: ['spec.tags'],
  },
  'an item of a list with keys': {
    before: { parameters: [{ name: 'a', type: 'list' }, { name: 'b' }] },
    after: { parameters: [{ name: 'a', type: 'number' }, { name: 'c' }] },
    fields: { 'f:parameters': { 'k:{"name":"a"}': { '.': {}, 'f:name': fieldWithOwners, 'f:type': fieldWithOwners } } },
    want: ['spec.parameters[name="a"].type'],
  },
  'a list with keys that an applier on the client side would replace': {
    before: { parameters: [{ name: 'a' }] },
    after: { parameters: [{ name: 'a' }, { name: 'b' }] },
    fields: { 'f:parameters': { 'k:{"name":"a"}': { '.': {}, 'f:name': fieldWithOwners } } },
    by: 'Update',
    want: ['spec.parameters'],
  },
  'the place of a strategy of which anything is held': {
    before: strategies({ a: { name: 'default' }, b: { name: 'default' } }),
    after: strategies({ a: { name: 'default', sortOrder: 2 }, b: { name: 'default', sortOrder: 1 } }),
    fields: ownedStrategies({ 'f:a': { 'f:title': fieldWithOwners } }),
    want: ['spec.environments.production.strategies.a.sortOrder'],
  },
  'the same place, written out': {
    before: strategies({ a: { name: 'default' } }),
    after: strategies({ a: { name: 'default', sortOrder: 0 } }),
    fields: ownedStrategies({ 'f:a': { 'f:name': fieldWithOwners } }),
    want: [],
  },
  'a parameter that is called like the place': {
    before: strategies({ a: { parameters: { sortOrder: 1 } } }),
    after: strategies({ a: { parameters: { sortOrder: 2 } } }),
    fields: ownedStrategies({ 'f:a': { 'f:name': fieldWithOwners } }),
    want: [],
  },
  'names with signs in them': {
    before: { environments: { 'eu.west': { enabled: false } } },
    after: { environments: { 'eu.west': { enabled: true } } },
    fields: { 'f:environments': { 'f:eu.west': { 'f:enabled': fieldWithOwners } } },
    want: ['spec.environments["eu.west"].enabled'],
  },
  'names that every object has': {
    before: JSON.parse('{"environments":{"__proto__":{"enabled":false},"constructor":{}}}'),
    after: JSON.parse('{"environments":{"__proto__":{"enabled":true},"constructor":{"enabled":true}}}'),
    fields: JSON.parse('{"f:environments":{"f:__proto__":{"f:enabled":{}},"f:constructor":{"f:toString":{}}}}'),
    want: ['spec.environments.__proto__.enabled'],
  },
};

test.each(Object.entries(cases))('%s', (_, one) => {
  expect(pathsTaken(one)).toEqual(one.want);
});

test('thousands of changes are checked one by one', () => {
  const environments = (enabled: boolean) =>
    Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`e${index}`, { enabled }]));
  const fields = { 'f:environments': { 'f:e7': { 'f:enabled': fieldWithOwners } } };
  const before = { environments: environments(false) };
  const after = { environments: { ...environments(true), e7: { enabled: false } } };
  expect(pathsTaken({ before, after, fields, want: [] })).toEqual([]);
});

describe('several owners', () => {
  const before = { type: 'release', description: 'd' };
  const owners = [
    anOwner('one', { 'f:type': fieldWithOwners, 'f:description': fieldWithOwners }),
    anOwner('free', { 'f:type': fieldWithOwners }),
    anOwner('two', { 'f:type': fieldWithOwners }, 'Update'),
  ];
  const taken = ownedFields(
    { kind: featureFlag, object: anOwnedObject(before, owners), after: { type: 'experiment' } },
    ({ manager }) => manager !== 'free',
  );

  test('all protected owners are listed for each field, in the order of the paths', () => {
    expect(taken.map(({ path, owners: of }) => [path, of.map(({ manager }) => manager)])).toEqual([
      ['spec.description', ['one']],
      ['spec.type', ['one', 'two']],
    ]);
  });
});

test('a refusal names few fields in its message, more in its details, and the number of the others', () => {
  const fields = Array.from({ length: 30 }, (_, index) => {
    return { path: `spec.f${index}`, owners: [anOwner('tool', {})] };
  });
  const { message, details, code } = refuseOwned(anOwnedObject({}, []), fields, { remediation: ['Ask somebody.'] });
  expect(code).toBe('field-managed');
  expect(message).toContain(`spec.f4 by "tool" (Apply, last write ${WRITTEN_AT}); 25 more. Ask somebody.`);
  expect(details).toHaveLength(22);
  expect(details.slice(-2)).toEqual([{ message: 'There are 10 more.' }, { message: 'Ask somebody.' }]);
});
