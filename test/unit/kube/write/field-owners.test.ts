/** Every field of a spec, with its owners. */
import { expect, test } from 'vitest';
import { fieldsWithOwnersOf } from '../../../../src/kube/write/field-owners.ts';
import type { FieldOwner } from '../../../../src/model/object.ts';
import { anOwnedObject, anOwner } from '../../../support/owned-object.ts';

const fieldWithOwners = {};

function recorded(spec: object, owners: readonly FieldOwner[]): readonly (readonly [string, string])[] {
  const fieldsWithOwners = fieldsWithOwnersOf(anOwnedObject(spec, owners), ({ manager }) => manager === 'git');
  return fieldsWithOwners.map(({ text, owners: of }) => [
    text,
    of.map(({ manager, operation, isProtected }) => `${manager} ${operation}${isProtected ? '!' : ''}`).join(),
  ]);
}

test('fields are listed by path, including those without an owner', () => {
  const spec = { type: 'release', environments: { production: { enabled: true, strategies: {} } }, description: 'd' };
  const git = anOwner('git', { 'f:environments': { 'f:production': { '.': {}, 'f:enabled': fieldWithOwners } } });
  const person = anOwner(
    'person',
    { 'f:environments': { 'f:production': { 'f:enabled': fieldWithOwners } }, 'f:type': fieldWithOwners },
    'Update',
  );
  expect(recorded(spec, [git, person])).toEqual([
    ['spec.description', ''],
    ['spec.environments.production.enabled', 'git Apply!,person Update'],
    ['spec.environments.production.strategies', ''],
    ['spec.type', 'person Update'],
  ]);
});

test('a list is one field, a set with owned entries has a field for each entry', () => {
  const spec = { variants: [{ name: 'a' }], tags: ['simple:a', 'simple:b'] };
  const git = anOwner('git', { 'f:variants': fieldWithOwners, 'f:tags': { 'v:"simple:b"': fieldWithOwners } });
  expect(recorded(spec, [git])).toEqual([
    ['spec.tags["simple:a"]', ''],
    ['spec.tags["simple:b"]', 'git Apply!'],
    ['spec.variants', 'git Apply!'],
  ]);
  expect(recorded(spec, [])).toEqual([
    ['spec.tags', ''],
    ['spec.variants', ''],
  ]);
});

test('an owner of only a map owns none of its fields', () => {
  const git = anOwner('git', { 'f:environments': { 'f:production': {} } });
  expect(recorded({ environments: { production: { enabled: true } } }, [git])).toEqual([
    ['spec.environments.production.enabled', ''],
  ]);
  expect(recorded({ environments: { production: {} } }, [git])).toEqual([
    ['spec.environments.production', 'git Apply!'],
  ]);
});

test.each([
  ['an empty spec', {}],
  ['no spec', undefined],
  ['a null', null],
])('%s has no fields', (_, spec) => {
  expect(fieldsWithOwnersOf({ ...anOwnedObject({}, []), rawSpec: spec }, () => true)).toEqual([]);
});
