/** A freeze: a period in which flags do not change in an environment. */
import { z } from 'zod';
import { readJson } from '../model/json.ts';
import { type Rule, ruled } from './fields/rule.ts';
import { atomicList, isThere, RFC_3339, text, timestamp } from './fields/shapes.ts';
import { stampKeys } from './stamp.ts';

/** Maximum for one environment. */
const MAX_FREEZES = 20;

/** The weekdays in the order of `Date.getUTCDay`. */
export const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;
const END_OF_DAY = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;

const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

const timeOr = (timeOfDay: RegExp) => new RegExp(`${RFC_3339.source}|${timeOfDay.source}`);

const shape = z.object({
  name: z
    .string()
    .min(1)
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
    .meta({ description: 'The name in messages: a DNS label, unique in this environment.' }),
  from: z
    .string()
    .max(40)
    .regex(timeOr(TIME_OF_DAY))
    .meta({ description: 'When the freeze begins: RFC 3339 with a zone; with days a time of day, such as 18:00.' }),
  until: z.string().max(40).regex(timeOr(END_OF_DAY)).meta({
    description:
      'When the freeze ends: RFC 3339 with a zone; with days a time of day up to 24:00. Not after from: on the day after.',
  }),
  days: z.array(z.enum(weekdays)).max(weekdays.length).optional().meta({
    description: 'The days of the week on which the freeze begins, every week. Absent: the freeze comes once.',
    'x-kubernetes-list-type': 'atomic',
  }),
  firstDay: z.string().max(10).regex(DAY, { error: 'must be a day, such as 2026-12-01' }).optional().meta({
    description:
      'The first day on which a weekly freeze may begin, such as 2026-12-01, by the clocks of its time zone. Needed with ramps: Pause: ramps before that day stay as they were. Absent: there is no first day.',
  }),
  timeZone: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[A-Za-z][A-Za-z0-9_+\-/]*$/)
    .optional()
    .meta({ description: 'The time zone of a weekly freeze, such as Europe/Berlin. Absent: UTC.' }),
  reason: text(300, 'Why, for the people whose changes are refused.').optional(),
  ramps: z
    .enum(['Continue', 'Pause'])
    .optional()
    .meta({ description: 'Continue: ramps go on. Pause: the time of the freeze does not count. Absent: Continue.' }),
});
export type Freeze = z.infer<typeof shape>;

const timesFitForm: Rule<Freeze> = {
  cel: 'has(self.days) ? self.days.size() > 0 && self.from.size() == 5 && self.until.size() == 5 : self.from.size() > 5 && self.until.size() > 5 && !has(self.timeZone) && !has(self.firstDay)',
  message:
    'a freeze with days has at least one, with from and until as times of day, such as 18:00; one without has RFC 3339 times, no timeZone and no firstDay',
  holds: ({ days, from, until, timeZone, firstDay }) =>
    days
      ? days.length > 0 && from.length === 5 && until.length === 5
      : from.length > 5 && until.length > 5 && timeZone === undefined && firstDay === undefined,
};

const firstDayExists: Rule<Freeze> = {
  cel: "!has(self.firstDay) || timestamp(self.firstDay + 'T00:00:00Z') < timestamp('9999-12-31T00:00:00Z')",
  message: 'firstDay must be a day that exists',
  holds: ({ firstDay }) => firstDay === undefined || isThere(`${firstDay}T00:00:00Z`),
  field: 'firstDay',
};

/** Otherwise, a new freeze would have paused ramps in all weeks before it, and would undo their progress. */
const pausesSinceDay: Rule<Freeze> = {
  cel: "!has(self.days) || !has(self.ramps) || self.ramps != 'Pause' || has(self.firstDay)",
  message:
    'a weekly freeze with ramps: Pause needs firstDay, the first day on which it pauses ramps, such as 2026-12-01',
  holds: ({ days, ramps, firstDay }) => !days || ramps !== 'Pause' || firstDay !== undefined,
};

const endsAfterItBegins: Rule<Freeze> = {
  cel: 'self.from.size() == 5 || self.until.size() == 5 || timestamp(self.from) < timestamp(self.until)',
  message: 'until must be after from, and both must be times that exist',
  holds: ({ from, until }) =>
    from.length === 5 ||
    until.length === 5 ||
    (isThere(from) && isThere(until) && Date.parse(from) < Date.parse(until)),
  field: 'until',
};

const namesAreUnique: Rule<readonly Freeze[] | null> = {
  cel: 'self.all(one, self.exists_one(other, other.name == one.name))',
  message: 'each freeze needs a name of its own',
  holds: (freezes) => new Set(freezes?.map(({ name }) => name)).size === (freezes ?? []).length,
};

export const freezes = ruled(
  atomicList(
    ruled(shape, timesFitForm, endsAfterItBegins, firstDayExists, pausesSinceDay),
    MAX_FREEZES,
    'Times in which flags do not change in this environment, except that they can be switched off.',
  ),
  namesAreUnique,
);

export const freezeStatus = z.object({
  name: text(63, 'The name of the freeze; of several, the one that lasts longest.'),
  until: timestamp.meta({ description: 'When the freeze ends.', format: 'date-time' }),
});

/** The record of the freezes that a change bypassed: a part of its stamp. */
const freezeBypass = z.object({
  freezes: z.array(
    z.object({
      environment: z.string(),
      /** The name of the freeze. */
      name: z.string(),
      /** The end of the freeze in RFC 3339 (UTC). */
      until: z.iso.datetime(),
    }),
  ),
  /** The reason that the caller gave; empty if the caller gave none. */
  reason: z.string(),
});
export type FreezeBypass = z.infer<typeof freezeBypass>;

/** Undefined for a text that cannot be read, too. */
export function bypassIn(annotations: Readonly<Record<string, string>> = {}): FreezeBypass | undefined {
  return freezeBypass.safeParse(readJson(annotations[stampKeys.bypassing] ?? '')).data;
}

export function bypassStamp(bypass: FreezeBypass): Readonly<Record<string, string>> {
  return { [stampKeys.bypassing]: JSON.stringify(bypass) };
}
