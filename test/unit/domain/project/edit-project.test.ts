/** Edits of a project: its environments and its name; whether it can be deleted. */
import { describe, expect, test } from 'vitest';
import { wireNameOf } from '../../../../src/domain/identity/names.ts';
import {
  addEnvironment,
  refuseDeletion,
  removeEnvironment,
  setTexts,
  textsOf,
} from '../../../../src/domain/project/edit-project.ts';
import { isRefusal } from '../../../../src/errors.ts';
import { environmentObject, flagObject, projectObject } from '../objects.ts';

const everyEnvironment = new Map(
  [
    environmentObject('home/production', { sortOrder: 2 }),
    environmentObject('home/development', { sortOrder: 1 }),
    environmentObject('home/dormant', { enabled: false }),
    environmentObject('home/odd', { name: 'constructor', enabled: false }),
  ].map((one) => [wireNameOf(one), one]),
);
const choice = (environment: string) => ({ environment, everyEnvironment });
const project = (environments?: readonly string[] | null) =>
  projectObject('home/shop', {
    displayName: 'Shop',
    members: { ada: 'owner' },
    ...(environments !== undefined && { environments }),
  });

function refusal(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (isRefusal(error)) return error.code;
    throw error;
  }
  return 'nothing was refused';
}

describe('add', () => {
  test.each([
    ['is added at the end of the list', ['production'], 'development', ['production', 'development']],
    ['keeps names of what does not exist', ['gone'], 'production', ['gone', 'production']],
    [
      'makes a list of what was used without one, in order',
      undefined,
      'dormant',
      ['development', 'production', 'dormant'],
    ],
    ['reads null as no list', null, 'dormant', ['development', 'production', 'dormant']],
    ['to an empty list', [], 'production', ['production']],
    ['of a name that every object has', ['production'], 'constructor', ['production', 'constructor']],
  ])('%s', (_, listed, environment, want) => {
    const before = project(listed);
    const next = addEnvironment(before, choice(environment));
    expect(next.environments).toEqual(want);
    expect(next.members).toBe(before.spec.members);
  });

  test('refuses an environment that the project has', () => {
    expect(refusal(() => addEnvironment(project(['production']), choice('production')))).toBe('name-taken');
    expect(refusal(() => addEnvironment(project(), choice('production')))).toBe('name-taken');
  });
});

describe('remove', () => {
  test.each([
    [
      'leaves the others in their order',
      ['production', 'dormant', 'development'],
      'dormant',
      ['production', 'development'],
    ],
    ['makes a list of what was used without one', undefined, 'production', ['development']],
    ['takes a name of what does not exist', ['production', 'gone'], 'gone', ['production']],
  ])('%s', (_, listed, environment, want) => {
    const before = project(listed);
    const next = removeEnvironment(before, choice(environment));
    expect(next.environments).toEqual(want);
    expect(next.members).toBe(before.spec.members);
  });

  test.each<[string, readonly string[] | undefined, string, string]>([
    ['what the project does not have', ['production'], 'development', 'not-found'],
    ['what is not enabled, where there is no list', undefined, 'dormant', 'not-found'],
    ['from an empty list', [], 'production', 'not-found'],
    ['the last one', ['production'], 'production', 'minimum-one-environment'],
    ['the last one that exists', ['production', 'gone'], 'production', 'minimum-one-environment'],
    ['the last name, even if there is nothing behind it', ['gone'], 'gone', 'minimum-one-environment'],
  ])('refuses %s', (_, listed, environment, want) => {
    expect(refusal(() => removeEnvironment(project(listed), choice(environment)))).toBe(want);
  });
});

describe('the names of a project', () => {
  const named = projectObject('home/shop', {
    displayName: 'Shop',
    members: { ada: 'owner' },
    managedFields: 'TakeOver',
  });

  test('only a new meaning is written; the rest stays', () => {
    expect(setTexts(named, { name: 'Shop', description: '', defaultStickiness: 'default' })).toEqual(named.spec);
    expect(setTexts(named, { name: 'New', description: 'd' })).toEqual({
      ...named.spec,
      displayName: 'New',
      description: 'd',
    });
  });

  test('a project without a name has its id as name', () => {
    const bare = projectObject('home/shop');
    expect(setTexts(bare, { name: 'shop' })).toEqual({});
    expect(textsOf(bare)).toEqual({ name: 'shop', description: '', defaultStickiness: 'default' });
  });
});

describe('a project cannot be deleted', () => {
  const shop = projectObject('home/shop');

  test('while a flag is not archived', () => {
    const flags = [flagObject('home/gone', { archived: true }), flagObject('home/there')];
    expect(refusal(() => refuseDeletion(shop, flags))).toBe('invalid-operation');
    expect(() => refuseDeletion(shop, flags.slice(0, 1))).not.toThrow();
    expect(() => refuseDeletion(shop, [])).not.toThrow();
  });

  test('if flags without a project belong to it', () => {
    expect(refusal(() => refuseDeletion(projectObject('home/default'), []))).toBe('invalid-operation');
    const renamed = projectObject('home/default', { name: 'other' });
    expect(() => refuseDeletion(renamed, [])).not.toThrow();
  });
});
