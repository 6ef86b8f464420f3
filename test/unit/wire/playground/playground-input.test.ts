/** Combinations of comma-separated values, and their bounds. */
import { expect, test } from 'vitest';
import { contextsOf, refuseMany } from '../../../../src/wire/playground/playground-input.ts';

test('texts are split at commas, in fields and properties; other values and escaped commas stay', () => {
  const given = { userId: 'a, b,a', beta: true, properties: { city: 'Paris\\, Texas', plan: 'x,y' } };
  const contexts = contextsOf(given, 1);
  expect(contexts.map(({ userId, properties }) => [userId, properties])).toEqual(
    ['x', 'y'].flatMap((plan) => ['a', 'b'].map((userId) => [userId, { city: 'Paris, Texas', plan }])),
  );
  expect(contexts.every(({ beta }) => beta === true)).toBe(true);
});

test('at most 100 combinations of environments and contexts', () => {
  const users = (count: number) => ({ userId: [...Array(count).keys()].join(',') });
  expect(contextsOf(users(50), 2)).toHaveLength(50);
  expect(() => contextsOf(users(51), 2)).toThrow('asks for 102 combinations');
  expect(() => contextsOf({ ...users(90), properties: { ...users(90), other: users(90).userId } }, 30)).toThrow();
});

test('at most 20,000 evaluations', () => {
  expect(() => refuseMany(10_000, 2)).not.toThrow();
  expect(() => refuseMany(10_001, 2)).toThrow('asks for 20002 evaluations');
});
