/** Which texts name a person. */
import { describe, expect, test } from 'vitest';
import { createForgetter, refusalToForget } from '../../../../src/domain/history/forgetter.ts';
import { cpuMsOf } from '../../../support/cpu-time.ts';

const P = 'forgotten-abcd2345';
const { text, json } = createForgetter({ words: ['ada', 'Ada@Example.com', 'Zoë Ångström'], ids: [7] }, P);

describe('a text', () => {
  test.each([
    ['ada', P],
    ['Ada said: ask ada.', `${P} said: ask ${P}.`],
    ['ada@example.com, bob', `${P}, bob`],
    ['owner:ADA@EXAMPLE.COM', `owner:${P}`],
    ["ada's", `${P}'s`],
    ['by Zoe\u0308 A\u030Angstro\u0308m', `by ${P}`],
    ['{"user":"ada"}', `{"user":"${P}"}`],
  ])('%s is replaced', (before, after) => {
    expect(text(before)).toBe(after);
    expect(text(after)).toBe(after);
  });

  test.each([
    ...['Canada', 'adage', 'al-ada', 'ada-2', 'ada.b', 'x@ada', 'ada@other.org', 'adä', 'ada_x'],
    ...['system:serviceaccount:team:ada', 'cafe\u0301'],
  ])('%s stays', (before) => {
    expect(text(before)).toBe(before);
  });
});

describe('a value', () => {
  test('keeps the names of things, and loses the names of persons', () => {
    const things = { name: 'ada', project: 'ada', environments: ['ada'], environment: 'ada', ada: { enabled: true } };
    expect(json(things)).toBe(things);
    expect(json({ username: 'ada', name: 'ada', id: 7, rootRole: 1 })).toEqual({
      ...{ username: P, name: P, id: null, rootRole: 1 },
    });
    expect(json({ approver: { kind: 'FlagUser', name: 'ada' }, target: { kind: 'FeatureFlag', name: 'ada' } })).toEqual(
      {
        approver: { kind: 'FlagUser', name: P },
        target: { kind: 'FeatureFlag', name: 'ada' },
      },
    );
    expect(json({ userId: 7, roleId: 7, email: null })).toEqual({ userId: null, roleId: 7, email: null });
  });

  test('loses the members of a project, also where differences are abridged', () => {
    expect(json({ members: { ada: 'owner', bob: 'owner' }, differences: { '/members/ada': 1, '/name': 2 } })).toEqual({
      members: { [P]: 'owner', bob: 'owner' },
      differences: { [`/members/${P}`]: 1, '/name': 2 },
    });
  });

  test('has members of any name', () => {
    const members = '{"__proto__": {"ada": 1}, "constructor": {"ada": 1}, "toString": "ada"}';
    expect(JSON.stringify(json(JSON.parse(members)))).toBe(
      `{"__proto__":{"ada":1},"constructor":{"ada":1},"toString":"${P}"}`,
    );
  });

  test('loses the picture that follows from an address', () => {
    const picture = 'https://gravatar.com/avatar/b4c9a289323b21a01c3e940f150eb9b8c542587f1abfd8f0e1cc1ffc5e475514?s=42';
    const of = createForgetter({ words: ['user@example.com'], ids: [] }, P);
    expect(of.json({ imageUrl: picture })).toEqual({ imageUrl: `https://gravatar.com/avatar/${P}?s=42` });
  });
});

test.each([
  ['', /empty/],
  ['  ', /empty/],
  ['system:admin', /Kubernetes/],
  ['unknown', /Vexil/],
])('the name "%s" is no person', (name, reason) => {
  expect(refusalToForget(name)).toMatch(reason);
  expect(refusalToForget('ada')).toBeUndefined();
});

test.each(['ada-', '/ada', '.ada.', 'ada ', 'system:ada-', 'system:x ada ', 'a', 'ada@'])(
  'a text of a tenant takes time in proportion to its length: %s',
  (part) => {
    const { text } = createForgetter({ words: ['ada', 'ada@example.com', 'Ada Lovelace'], ids: [] }, 'forgotten-1');
    const takes = (length: number) => {
      const value = part.repeat(length / part.length);
      return cpuMsOf(() => text(value));
    };
    // 64 times as long; with a square, it takes 4,096 times as long, and an hour for an object of etcd's size.
    expect(takes(640_000)).toBeLessThan(400 * Math.max(takes(10_000), 1));
  },
);

test('a name of Kubernetes stays, and what follows it does not protect', () => {
  const { text } = createForgetter({ words: ['ada', 'Ada Lovelace', 'serviceaccount ada'], ids: [] }, 'forgotten-1');
  expect(
    [
      'system:serviceaccount:team:ada and ada',
      'system:ada,ada;ada system:ada',
      'system:ada Ada Lovelace',
      'Xsystem:ada',
      'system:serviceaccount ada',
      'System:ADA ada',
      'ada system:',
    ].map(text),
  ).toEqual([
    'system:serviceaccount:team:ada and forgotten-1',
    'system:ada,forgotten-1;forgotten-1 system:ada',
    'system:ada forgotten-1',
    'Xsystem:forgotten-1',
    'system:serviceaccount forgotten-1',
    'System:ADA forgotten-1',
    'forgotten-1 system:',
  ]);
});
