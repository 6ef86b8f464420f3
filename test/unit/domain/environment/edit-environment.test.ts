/** Edits of an environment: on, off and order. An edit that changes nothing returns the same spec. */
import { describe, expect, test } from 'vitest';
import {
  disableEnvironment,
  enableEnvironment,
  moveEnvironment,
} from '../../../../src/domain/environment/edit-environment.ts';
import { environmentObject } from '../objects.ts';

const environment = (spec: object) => environmentObject('home/staging', { type: 'test', ...spec });

describe.each([
  ['on', enableEnvironment, true],
  ['off', disableEnvironment, false],
] as const)('%s', (_, edit, wanted) => {
  test('an edit writes only the switch', () => {
    expect(edit(environment({ enabled: !wanted }))).toEqual({ type: 'test', enabled: wanted });
  });

  test.each([
    ['where it is so already', { enabled: wanted }],
    ['on a protected one', { enabled: !wanted, protected: true }],
  ])('an edit changes nothing %s', (__, spec) => {
    const before = environment(spec);
    expect(edit(before)).toBe(before.spec);
  });
});

test('an environment is on by default', () => {
  const before = environment({});
  expect(enableEnvironment(before)).toBe(before.spec);
  expect(disableEnvironment(before)).toEqual({ type: 'test', enabled: false });
});

test('the order is written if it differs; the default is 9999', () => {
  const placed = environment({ sortOrder: 3 });
  expect(moveEnvironment(placed, 4)).toEqual({ type: 'test', sortOrder: 4 });
  expect(moveEnvironment(placed, 3)).toBe(placed.spec);
  const silent = environment({});
  expect(moveEnvironment(silent, 9999)).toBe(silent.spec);
  expect(moveEnvironment(silent, 0)).toEqual({ type: 'test', sortOrder: 0 });
});
