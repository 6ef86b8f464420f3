/** A freeze that is in force, on the wire. */
import { z } from 'zod';
import { freezeAt } from '../../../domain/freeze/freeze-in-force.ts';
import type { FrozenEnvironment } from '../../../errors.ts';
import type { Environment } from '../../../schema/environment.ts';
import { wireNullableText } from '../fields.ts';
import { wireTime } from '../timestamp.ts';

export const wireFreeze = z.object({
  name: z.string().meta({ examples: ['year-end'] }),
  until: wireTime.meta({ description: 'The end of the freeze.' }),
  reason: wireNullableText.meta({ description: 'Null: none was given.', examples: ['Closing of the year'] }),
});

interface PresentedFreeze {
  readonly name: string;
  /** In ms since 1970. */
  readonly until: number;
  readonly reason?: string | undefined;
}

function presentFreeze({ name, until, reason }: PresentedFreeze): z.infer<typeof wireFreeze> {
  return { name, until: new Date(until).toISOString(), reason: reason ?? null };
}

/** Includes the environment. */
export function presentFrozen({ environment, ...freeze }: FrozenEnvironment) {
  return { environment, ...presentFreeze(freeze) };
}

/** Null if no freeze is in force. `now` is in ms since 1970. */
export function presentFreezeAt({ spec }: Environment, now: number): z.infer<typeof wireFreeze> | null {
  const frozen = freezeAt(spec, now);
  return frozen ? presentFreeze({ ...frozen.freeze, until: frozen.until }) : null;
}
