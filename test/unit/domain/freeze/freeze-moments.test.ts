/** When freezes begin and end. */
import { describe, expect, test } from 'vitest';
import { freezeMoments, lastFreezeMoment } from '../../../../src/domain/freeze/freeze-moments.ts';
import { type Freeze, weekdays } from '../../../../src/schema/freeze.ts';

// This day is a Sunday.
const NOON = Date.parse('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const once: Freeze = { name: 'once', from: '2026-03-01T10:00:00Z', until: '2026-03-01T11:00:00Z' };
const weekend: Freeze = { name: 'weekend', days: ['Sat', 'Sun'], from: '00:00', until: '24:00' };
const always: Freeze = { name: 'always', days: [...weekdays], from: '00:00', until: '24:00' };

const inShort = (freezes: readonly Freeze[], from: number, until: number) =>
  freezeMoments({ freezes }, { from, until }).map(({ at, change, freeze }) => [
    freeze.name,
    change,
    new Date(at).toISOString().slice(0, 16),
  ]);

describe('the moments of freezes', () => {
  const rows: readonly (readonly [
    string,
    readonly Freeze[],
    readonly [number, number],
    readonly (readonly string[])[],
  ])[] = [
    ['none', [], [NOON - DAY_MS, NOON], []],
    [
      'one that comes once',
      [once],
      [NOON - DAY_MS, NOON],
      [
        ['once', 'began', '2026-03-01T10:00'],
        ['once', 'ended', '2026-03-01T11:00'],
      ],
    ],
    [
      'after the first time, up to and with the last',
      [once],
      [NOON - 2 * HOUR_MS, NOON - HOUR_MS],
      [['once', 'ended', '2026-03-01T11:00']],
    ],
    [
      'days that touch are one freeze',
      [weekend],
      [NOON - 8 * DAY_MS, NOON + 2 * DAY_MS],
      [
        ['weekend', 'ended', '2026-02-23T00:00'],
        ['weekend', 'began', '2026-02-28T00:00'],
        ['weekend', 'ended', '2026-03-02T00:00'],
      ],
    ],
    ['a freeze that never ends has none', [always], [NOON - 30 * DAY_MS, NOON + 30 * DAY_MS], []],
    [
      'of several, in the order of time',
      [weekend, once],
      [NOON - 2 * DAY_MS, NOON],
      [
        ['weekend', 'began', '2026-02-28T00:00'],
        ['once', 'began', '2026-03-01T10:00'],
        ['once', 'ended', '2026-03-01T11:00'],
      ],
    ],
  ];
  test.each(rows)('%s', (_, freezes, [from, until], want) => {
    expect(inShort(freezes, from, until)).toEqual(want);
  });

  test('are the same for any division of the time', () => {
    const [from, until] = [NOON - 40 * DAY_MS, NOON + 40 * DAY_MS];
    const parts = Array.from({ length: 80 }, (_, day) =>
      inShort([weekend, once, always], from + day * DAY_MS, from + (day + 1) * DAY_MS),
    );
    expect(parts.flat()).toEqual(inShort([weekend, once, always], from, until));
    expect(parts.flat().length).toBeGreaterThan(20);
  });
});

test.each([
  ['none', [], undefined],
  [
    'the end of one long ago',
    [{ ...once, from: '2020-01-01T00:00:00Z', until: '2020-01-02T00:00:00Z' }],
    '2020-01-02T00:00:00.000Z',
  ],
  ['not one that is ahead', [{ ...once, from: '2027-01-01T00:00:00Z', until: '2027-01-02T00:00:00Z' }], undefined],
  ['the beginning of a weekly one', [weekend], '2026-02-28T00:00:00.000Z'],
  ['the last of several', [weekend, once], '2026-03-01T11:00:00.000Z'],
  ['none of one that never ends', [always], undefined],
] as const)('the last moment: %s', (_, freezes, want) => {
  const at = lastFreezeMoment({ freezes }, NOON);
  expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(want);
});
