/** Windows and ramps on the wire. */
import { z } from 'zod';
import { rampActions } from '../../../domain/flag/edit/edit-ramp.ts';
import type { FlagWindow } from '../../../domain/flag/edit/edit-window.ts';
import { pointInTime } from '../../../schema/fields/shapes.ts';
import { MAX_RAMP_STEPS } from '../../../schema/ramp.ts';

const from = 'The flag is off before this time. Null or left out: no such time.';
const until = 'The flag is off from this time on. Null or left out: no such time.';

/** The body of PUT …/window. */
export const windowBody = z
  .strictObject({
    activeFrom: pointInTime(from).nullable().optional(),
    activeUntil: pointInTime(until).nullable().optional(),
  })
  .refine(
    ({ activeFrom, activeUntil }) => !activeFrom || !activeUntil || Date.parse(activeFrom) < Date.parse(activeUntil),
    { message: 'activeUntil must be after activeFrom', path: ['activeUntil'] },
  )
  .meta({
    id: 'FeatureWindow',
    description:
      'The time in which the switch has an effect: RFC 3339 with a zone. Each must be a time that exists, and activeUntil must be after activeFrom.',
    examples: [{ activeFrom: '2026-12-01T08:00:00+01:00', activeUntil: '2026-12-24T18:00:00+01:00' }],
  });

export function windowOf({ activeFrom, activeUntil }: z.infer<typeof windowBody>): FlagWindow {
  return { activeFrom: activeFrom ?? undefined, activeUntil: activeUntil ?? undefined };
}

/** Present for a flag in an environment with a window. */
export const wireWindow = {
  activeFrom: z.string().optional().meta({ description: 'The flag is off before this time.' }),
  activeUntil: z.string().optional().meta({ description: 'The flag is off from this time on.' }),
};

export function presentWindow({ activeFrom, activeUntil }: FlagWindow): FlagWindow {
  return { ...(activeFrom !== undefined && { activeFrom }), ...(activeUntil !== undefined && { activeUntil }) };
}

/** The body of POST …/copy. */
export const copyBody = z
  .strictObject({ from: z.string().min(1).meta({ description: 'The environment to copy.' }) })
  .meta({ id: 'FeatureEnvironmentCopy', examples: [{ from: 'staging' }] });

/** The body of POST …/ramp. */
export const rampBody = z
  .strictObject({
    action: z.enum(rampActions).meta({
      description:
        'start: the first step begins now. pause: the ramp stops. resume: the ramp continues, and the steps after the pause move by its length. skip: the ramp moves to the beginning of a step. abort: the ramp stops, and the strategy is disabled.',
    }),
    step: z.int().min(1).max(MAX_RAMP_STEPS).optional().meta({
      description: 'The number of the step, from 1: the action skip needs a step, and no other action takes one.',
    }),
  })
  .refine(({ action, step }) => (action === 'skip') === (step !== undefined), {
    message: 'the action skip needs a step, and no other action takes one',
    path: ['step'],
  })
  .meta({ id: 'RampAction', examples: [{ action: 'skip', step: 2 }] });
