/** The freeze in force at any time, also when clocks change. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freezeAt, nextFreezeChange } from '../../../../src/domain/freeze/freeze-in-force.ts';
import { localTime } from '../../../../src/domain/freeze/time-in-zone.ts';
import { type Freeze, weekdays } from '../../../../src/schema/freeze.ts';

const ms = (text: string) => Date.parse(text);
const berlin = { timeZone: 'Europe/Berlin' } as const;

function at(time: string, ...freezes: readonly Freeze[]) {
  const found = freezeAt({ freezes }, ms(time));
  return found && `${found.freeze.name} until ${new Date(found.until).toISOString().slice(0, 16)}`;
}

describe('a single freeze', () => {
  const summit: Freeze = { name: 'summit', from: '2026-12-20T00:00:00+01:00', until: '2027-01-03T00:00:00Z' };

  test.each([
    ['2026-12-19T22:59:59.999Z', undefined],
    ['2026-12-19T23:00:00Z', 'summit until 2027-01-03T00:00'],
    ['2027-01-02T23:59:59.999Z', 'summit until 2027-01-03T00:00'],
    ['2027-01-03T00:00:00Z', undefined],
  ])('at %s: %s', (time, want) => {
    expect(at(time, summit)).toBe(want);
  });

  test('gives way to one that lasts longer', () => {
    const longer: Freeze = { name: 'audit', from: '2026-12-25T00:00:00Z', until: '2027-02-01T00:00:00Z' };
    expect(at('2026-12-24T00:00:00Z', longer, summit)).toBe('summit until 2027-01-03T00:00');
    expect(at('2026-12-26T00:00:00Z', longer, summit)).toBe('audit until 2027-02-01T00:00');
  });
});

describe('a weekly freeze', () => {
  const nights: Freeze = { name: 'nights', days: ['Fri'], from: '18:00', until: '08:00', ...berlin };
  const weekend: Freeze = { name: 'weekend', days: ['Sat', 'Sun'], from: '00:00', until: '24:00', ...berlin };

  test('with a first day begins on it, and the next change is known long before', () => {
    const first: Freeze = { ...nights, firstDay: '2026-07-10' };
    expect(at('2026-07-03T17:00:00Z', first)).toBeUndefined();
    expect(at('2026-07-10T16:00:00Z', first)).toBe('nights until 2026-07-11T06:00');
    const next = ['2026-01-01T00:00:00Z', '2026-07-10T16:00:00Z'].map((time) =>
      new Date(nextFreezeChange({ freezes: [first] }, ms(time)) ?? 0).toISOString(),
    );
    expect(next).toEqual(['2026-07-10T16:00:00.000Z', '2026-07-11T06:00:00.000Z']);
  });

  test.each<[string, Freeze, string, string | undefined]>([
    ['begins on its day', nights, '2026-07-03T16:00:00Z', 'nights until 2026-07-04T06:00'],
    ['ends on the day after', nights, '2026-07-04T06:00:00Z', undefined],
    ['is not in force the night before', nights, '2026-07-02T20:00:00Z', undefined],
    ['follows the clocks in winter', nights, '2026-01-02T17:00:00Z', 'nights until 2026-01-03T07:00'],
    ['joins days that touch', weekend, '2026-07-04T10:00:00Z', 'weekend until 2026-07-05T22:00'],
    ['lasts an hour less where clocks go forward', weekend, '2026-03-29T21:59:00Z', 'weekend until 2026-03-29T22:00'],
    ['lasts an hour more where clocks go back', weekend, '2026-10-25T22:59:00Z', 'weekend until 2026-10-25T23:00'],
    [
      'up to an hour that comes twice lasts up to the second one',
      { name: 'back', days: ['Sun'], from: '00:00', until: '02:30', ...berlin },
      '2026-10-25T01:29:00Z',
      'back until 2026-10-25T01:30',
    ],
    [
      'of a zone that does not exist is never in force',
      { ...weekend, timeZone: 'Mars/Olympus' },
      '2026-07-04T10:00:00Z',
      undefined,
    ],
    ['without a zone goes by UTC', { ...nights, timeZone: undefined }, '2026-07-03T17:59:00Z', undefined],
  ])('%s', (_, freeze, time, want) => {
    expect(at(time, freeze)).toBe(want);
  });
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

const anyWeekly = fc.record({
  days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
  begins: fc.integer({ min: 0, max: 1439 }),
  ends: fc.integer({ min: 0, max: 1440 }),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
  now: fc.integer({ min: ms('2024-01-01T00:00:00Z'), max: ms('2030-01-01T00:00:00Z') }),
});

const weekly = ({
  days,
  begins,
  ends,
  timeZone,
}: {
  days: Freeze['days'];
  begins: number;
  ends: number;
  timeZone: string;
}) => ({ name: 'any', days, from: clock(begins), until: clock(ends), timeZone }) satisfies Freeze;

test('a weekly freeze is in force exactly by the clocks of its zone, except when they change', () => {
  fc.assert(
    fc.property(anyWeekly, ({ now, ...rest }) => {
      const local = localTime(rest.timeZone, now);
      const lasts = rest.ends > rest.begins ? rest.ends : rest.ends + 1440;
      const says = [0, 1].some((daysAgo) => {
        const day = Math.floor(local / DAY_MS) - daysAgo;
        const minutes = (local - day * DAY_MS) / 60_000;
        const isDay = rest.days.includes(weekdays[new Date(day * DAY_MS).getUTCDay()] ?? 'Sun');
        return isDay && minutes >= rest.begins && minutes < lasts;
      });
      const isFrozen = freezeAt({ freezes: [weekly(rest)] }, now) !== undefined;
      const offsets = [-1, 1].map((sign) => localTime(rest.timeZone, now + sign * 2 * DAY_MS) - sign * 2 * DAY_MS);
      expect(isFrozen || !says).toBe(true);
      if (offsets[0] === offsets[1]) expect(isFrozen).toBe(says);
    }),
    { numRuns: 2000 },
  );
});

test.each<[string, Freeze, string, string]>([
  [
    'the end of a freeze a week before clocks go back',
    { name: 'sunday', days: ['Sun'], from: '23:00', until: '23:30', ...berlin },
    '2026-10-18T21:30:00Z',
    '2026-10-25T22:00:00.000Z',
  ],
  [
    'the end of a freeze a week before clocks go forward',
    { name: 'sunday', days: ['Sun'], from: '23:00', until: '23:30', ...berlin },
    '2026-03-22T22:30:00Z',
    '2026-03-29T21:00:00.000Z',
  ],
  [
    'the same where clocks go back by half an hour',
    { name: 'sunday', days: ['Sun'], from: '23:00', until: '23:10', timeZone: 'Australia/Lord_Howe' },
    '2026-03-29T12:10:00Z',
    '2026-04-05T12:30:00.000Z',
  ],
])('the next change at %s is the beginning of the next one', (_, freeze, now, want) => {
  expect(new Date(nextFreezeChange({ freezes: [freeze] }, ms(now)) ?? 0).toISOString()).toBe(want);
});

test('the freeze in force does not change between now and the next change, and ends at its end', () => {
  fc.assert(
    fc.property(anyWeekly, fc.double({ min: 0, max: 1, noNaN: true }), ({ now, ...rest }, share) => {
      const spec = { freezes: [weekly(rest)] };
      const next = nextFreezeChange(spec, now);
      if (next === undefined) throw new Error('a weekly freeze changes every week');
      expect(next).toBeGreaterThan(now);
      const present = freezeAt(spec, now);
      const between = Math.min(next - 1, Math.floor(now + share * (next - now)));
      expect(freezeAt(spec, between) !== undefined).toBe(present !== undefined);
      if (present) expect(freezeAt(spec, present.until - 1)).toBeDefined();
    }),
  );
});
