/** A ramp: the percentage of a strategy as it rises with time. */
import { z } from 'zod';
import { type Rule, ruled } from './fields/rule.ts';
import { atomicList, pointInTime } from './fields/shapes.ts';

/** Maximum for one ramp. */
export const MAX_RAMP_STEPS = 20;

const step = z.object({
  rollout: z.int().min(0).max(100).meta({ description: 'The percentage while the step lasts.' }),
  for: z
    .string()
    .min(2)
    .max(20)
    .regex(/^([0-9]{1,5}h)?([0-9]{1,5}m)?([0-9]{1,5}s)?$/, {
      error: 'must be a duration in hours, minutes and seconds, such as 24h or 1h30m',
    })
    .optional()
    .meta({ description: 'How long the step lasts, such as 24h or 1h30m. Absent in the last step alone.' }),
});
export type RampStep = z.infer<typeof step>;

const lastStepLasts: Rule<readonly RampStep[] | null> = {
  cel: 'self.size() == 0 || ([self[self.size() - 1]].all(s, !has(s.__for__)) && self.filter(s, !has(s.__for__)).size() == 1)',
  message: 'each step but the last needs for; the last step lasts for good and has none',
  holds: (steps) => (steps ?? []).every((one, index, { length }) => (one.for === undefined) === (index === length - 1)),
};

/** The steps, the start and the pause can each have a different owner. */
export const ramp = z.object({
  startAt: pointInTime(
    'When the first step begins. Absent: the ramp waits for its start, with the rollout of the parameters.',
  ).optional(),
  steps: ruled(
    atomicList(step, MAX_RAMP_STEPS, 'The percentages, one after the other. Absent: the ramp has no effect.'),
    lastStepLasts,
  ).optional(),
  pausedAt: pointInTime('The ramp stays where it was at this time.').optional(),
});
export type Ramp = z.infer<typeof ramp>;
