/** The settings for the reports of SDKs, and for the evidence that follows from them. */
import { z } from 'zod';
import { fact } from './fact.ts';
import { ALLOWED_PERIODS, period } from './periods.ts';

const defaultHourly = '48h';
const defaultDaily = '400d';
const maxFlagSeries = 10_000;

export const usageSettings = {
  VEXIL_USAGE_HOURLY_RETENTION: fact(period.prefault(defaultHourly), {
    description:
      'How long evaluations of flags that SDKs report are kept by hour, in the database of `VEXIL_AUDIT_URL`.',
    allowed: ALLOWED_PERIODS,
    defaultText: defaultHourly,
    example: '7d',
  }),
  VEXIL_USAGE_DAILY_RETENTION: fact(period.prefault(defaultDaily), {
    description:
      'How long evaluations of flags are kept by day (UTC), and applications and the times when flags were last seen after their last report.',
    allowed: ALLOWED_PERIODS,
    defaultText: defaultDaily,
    example: '91d',
  }),
  VEXIL_USAGE_FLAG_METRICS: fact(
    z
      .string()
      .regex(/^\d{1,5}$/)
      .transform(Number)
      .pipe(z.number().max(maxFlagSeries))
      .prefault('0'),
    {
      description:
        'For how many flags the metric `vexil_flag_evaluations_total` has series of their own: the first that SDKs report after the start. All others are the flag `other`. Each flag is up to two series for each environment.',
      allowed: `a whole number of flags from 0 (no such metric) to ${maxFlagSeries}`,
      defaultText: '0',
      example: '500',
    },
  ),
};

const defaults = { release: 30, experiment: 30, operational: 30, 'kill-switch': 90, permission: 90 };
const types = Object.keys(defaults).join('|');
const defaultText = Object.entries(defaults)
  .map(([type, days]) => `${type}=${days}`)
  .join(',');

const ENTRY = new RegExp(`^(${types})=([1-9]\\d{0,3})$`);
const MAX_DAYS = 3650;

const staleDays = z
  .string()
  .transform((list) => list.split(',').map((entry) => ENTRY.exec(entry.trim())))
  .refine((entries) => entries.every((entry) => entry !== null && Number(entry[2]) <= MAX_DAYS))
  .refine((entries) => new Set(entries.map((entry) => entry?.[1])).size === entries.length)
  .transform((entries) => ({
    ...defaults,
    ...Object.fromEntries(entries.map((entry) => [entry?.[1], Number(entry?.[2])])),
  }));

export const staleSettings = {
  VEXIL_STALE_DAYS: fact(staleDays.default(defaults), {
    description:
      'The days without a request, or with only one answer, after which a flag is reported as removable. `spec.lifetimeDays` of a flag overrides the days of its type. Vexil never changes a flag because of it.',
    allowed: `days from 1 to ${MAX_DAYS} for some types, separated by commas; the others keep theirs`,
    defaultText,
    example: 'release=60,experiment=14',
  }),
};
