/** The context of a request: from a query, and completed. */
import { describe, expect, test } from 'vitest';
import { completeContext, contextBody, contextOfQuery, contextQuery } from '../../../../src/wire/client/context.ts';

test('a query has fields, and properties in brackets', () => {
  const query = { userId: '7', 'properties[plan]': 'pro', 'properties[a]b]': '1', 'properties[]': '2', plan: 'free' };
  expect(contextOfQuery(query)).toEqual({
    userId: '7',
    plan: 'free',
    'properties[]': '2',
    properties: { plan: 'pro', 'a]b': '1' },
  });
});

test('an inherited name is an ordinary property', () => {
  const { properties } = contextOfQuery({ 'properties[__proto__]': 'x', 'properties[constructor]': 'y' });
  expect(Object.entries(properties as object)).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
  expect(Object.getPrototypeOf(properties)).toBe(Object.prototype);
});

describe('fields that the caller leaves out', () => {
  const complete = (given: object) =>
    completeContext({ ...given }, { environment: 'production', from: '192.0.2.1', newSessionId: () => 'random' });

  test('are the address of the request and a random session; the environment is never that of the caller', () => {
    expect(complete({ environment: 'development' })).toEqual({
      environment: 'production',
      remoteAddress: '192.0.2.1',
      sessionId: 'random',
    });
    expect(complete({ sessionId: 's', remoteAddress: '192.0.2.2', userId: '7' })).toEqual({
      environment: 'production',
      sessionId: 's',
      remoteAddress: '192.0.2.2',
      userId: '7',
    });
    expect(complete({ sessionId: '' })).toMatchObject({ sessionId: 'random' });
  });
});

describe('a context is bounded', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, 'x']));
  test.each([
    ['200 values', { ...many(199), userId: '7' }, true],
    ['201 values', many(201), false],
    ['a value and its name of 2000 characters', { name: 'x'.repeat(1996) }, true],
    ['one of 2001', { name: 'x'.repeat(1997) }, false],
    ['a long name', { ['x'.repeat(2001)]: '' }, false],
  ])('%s', (_, given, isTaken) => {
    expect(contextQuery.safeParse(given).success).toBe(isTaken);
    expect(contextBody.safeParse({ context: given }).success).toBe(isTaken);
  });

  test('also within properties, and whatever the values are', () => {
    expect(contextBody.safeParse({ context: { properties: many(201) } }).success).toBe(false);
    expect(contextBody.safeParse({ context: { odd: { toString: 1 }, none: null, list: [1] } }).success).toBe(true);
    expect(contextBody.safeParse({ context: [] }).success).toBe(false);
  });
});
