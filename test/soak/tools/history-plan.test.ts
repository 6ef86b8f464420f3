/** The parts of the history checker: pairing, fields, plans. */
import { describe, expect, test } from 'vitest';
import { fieldsOf, fieldsOfAnswer, holds, specOf } from '../../support/history/fields.ts';
import { unpaired } from '../../support/history/pairing.ts';
import { planWriters } from '../../support/history/plan.ts';

describe('pairing', () => {
  const pairings: Readonly<Record<string, readonly [Readonly<Record<string, string>>, readonly string[]]>> = {
    'each has its own': [{ a: 'x', b: 'y' }, []],
    'the first moves to free a place for the second': [{ a: 'xy', b: 'x' }, []],
    'places are freed along a chain': [{ a: 'wx', b: 'wy', c: 'w' }, []],
    'two want the only one': [{ a: 'x', b: 'x' }, ['b']],
    'one has no choice': [{ a: '' }, ['a']],
  };
  test.each(Object.entries(pairings))('%s', (_, [choices, want]) => {
    expect(unpaired(new Map(Object.entries(choices)))).toEqual(want);
  });
});

describe('fields', () => {
  test('an absent field has its default', () => {
    expect(fieldsOf({ stale: null })).toEqual(fieldsOf({ description: '', type: 'release', stale: false }));
  });

  test('a spec made of fields has these fields', () => {
    const fields = { description: '"a"', 'environments.staging.enabled': 'true', tags: '["a:b"]' };
    expect(holds(fieldsOf(specOf(fields)), fields)).toBe(true);
  });

  test('an answer of the admin API shows the same fields as the spec', () => {
    const strategies = { base: { title: 't' } };
    const spec = { description: 'a', environments: { production: { enabled: true, strategies } } };
    const answer = {
      description: 'a',
      type: 'release',
      stale: false,
      impressionData: false,
      environments: [
        { name: 'production', enabled: true, strategies: [{ title: 't' }] },
        { name: 'staging', enabled: false, strategies: [{ title: null }] },
      ],
    };
    expect(fieldsOfAnswer(answer)).toEqual(fieldsOf(spec));
  });
});

describe('a plan', () => {
  const parts = { flags: ['a', 'b'], operationsEach: 20 };

  test('is the same for the same seed', () => {
    expect(planWriters({ seed: 5, ...parts })).toEqual(planWriters({ seed: 5, ...parts }));
    expect(planWriters({ seed: 5, ...parts })).not.toEqual(planWriters({ seed: 6, ...parts }));
  });

  test('gives every operation a number and texts of its own', () => {
    const operations = planWriters({ seed: 1, ...parts }).flatMap((writer) => writer.operations);
    // A deletion leaves no text.
    const texts = operations.flatMap(({ writes }) => writes['description'] ?? []).filter((text) => text !== '""');
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
    expect(new Set(texts).size).toBe(texts.length);
  });
});
