/** The settings for storing the reports of SDKs. */
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
