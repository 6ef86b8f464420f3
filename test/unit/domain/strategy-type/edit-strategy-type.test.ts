/** Edits of strategy types: what they write, what they share, what they refuse. */
import { describe, expect, test } from 'vitest';
import { refuseInUse } from '../../../../src/domain/flag/uses.ts';
import {
  changeStrategyType,
  deprecateStrategyType,
  reactivateStrategyType,
  type StrategyTypeChange,
} from '../../../../src/domain/strategy-type/edit-strategy-type.ts';
import { flagObject, strategyObject } from '../objects.ts';

const plain = { name: 'plain' };
const list = { name: 'list', type: 'list', description: 'd', required: true } as const;
const type = (spec: object) => strategyObject('home/own', spec);

describe('a change without a new meaning returns the spec itself', () => {
  test.each<[string, object, StrategyTypeChange]>([
    ['nothing is given', { description: 'd', parameters: [plain] }, {}],
    ['what is there', { displayName: 'D', description: 'd' }, { displayName: 'D', description: 'd' }],
    ['what absent means', {}, { displayName: 'own', description: '', parameters: [] }],
    ['null where there is nothing', {}, { displayName: null, description: null, parameters: null }],
    [
      'parameters with what absent means',
      { parameters: [plain, list] },
      { parameters: [{ ...plain, type: 'string', description: '', required: false }, list] },
    ],
  ])('%s', (_, spec, change) => {
    const before = type(spec);
    expect(changeStrategyType(before, change)).toBe(before.spec);
  });
});

describe('a change writes only what differs', () => {
  const spec = { displayName: 'D', description: 'd', deprecated: true, parameters: [plain, list] };

  test.each<[string, StrategyTypeChange, object]>([
    ['a text', { description: 'e' }, { description: 'e' }],
    ['an empty text', { description: '' }, { description: '' }],
    ['null', { displayName: null }, { displayName: undefined }],
    ['the name as text', { displayName: 'own' }, { displayName: 'own' }],
    ['no parameters', { parameters: null }, { parameters: [] }],
    ['another order', { parameters: [list, plain] }, { parameters: [list, plain] }],
    ['one less', { parameters: [list] }, { parameters: [list] }],
    [
      'a field of a parameter',
      { parameters: [{ ...plain, type: 'string', required: true }, list] },
      { parameters: [{ ...plain, required: true }, list] },
    ],
    [
      'a field of a parameter, left out',
      { parameters: [plain, { name: 'list' }] },
      {
        parameters: [plain, { name: 'list', type: 'string', description: '', required: false }],
      },
    ],
  ])('%s', (_, change, want) => {
    expect(changeStrategyType(type(spec), change)).toEqual({ ...spec, ...want });
  });
});

test('unreadable parameters are not overwritten; other fields can be changed', () => {
  const broken = type({ description: 'd', parameters: [list, { name: 'odd', type: 'colour' }] });
  expect(() => changeStrategyType(broken, { parameters: [plain] })).toThrow(
    /^Cannot change the parameters of ".+": spec\.parameters\.1\.type cannot be read/,
  );
  expect(changeStrategyType(broken, { description: 'e' })).toMatchObject({ description: 'e' });
});

test('deprecating and back; without a change, the spec itself', () => {
  const [silent, active, old] = [type({}), type({ deprecated: false }), type({ deprecated: true })];
  expect(deprecateStrategyType(silent)).toEqual({ deprecated: true });
  expect(reactivateStrategyType(old)).toEqual({ deprecated: false });
  expect(deprecateStrategyType(old)).toBe(old.spec);
  for (const one of [silent, active]) expect(reactivateStrategyType(one)).toBe(one.spec);
});

describe('a used type', () => {
  const flags = (...names: string[]) => names.map((name) => flagObject(`home/${name}`));
  const refusal = (...used: Parameters<typeof refuseInUse>[1]) => {
    try {
      refuseInUse(type({ name: 'Own' }), used);
    } catch (error) {
      return (error as Error).message;
    }
    return 'nothing was refused';
  };

  test('is not one without flags, or with only archived ones', () => {
    expect(refusal()).toBe('nothing was refused');
    expect(refusal(flagObject('home/stowed', { archived: true }))).toBe('nothing was refused');
  });

  test('is used by one flag, or by many, of which five are named in their order', () => {
    expect(refusal(...flags('a'))).toMatch(/^The strategy type "Own" cannot be deleted: 1 flag uses it \(a\), /);
    expect(refusal(...flags('b', 'a'))).toContain('2 flags use it (a, b), ');
    expect(refusal(...flags('g', 'f', 'e', 'd', 'c', 'b', 'a'))).toContain('7 flags use it (a, b, c, d, e, …), ');
  });
});
