/** The parameters of reads of the past. */
import { z } from 'zod';
import { pointInTime } from '../schema/fields/shapes.ts';

/** A name that is not used outside of `inGap`. */
export const inGapParam = z.enum(['before', 'after']).optional().meta({
  description:
    'What to answer if the state at the time in `at` is uncertain, because a change happened at an unknown time around it: the state `before` or `after` the change. Absent: 409 `UncertainTimeError`, which names the times.',
});

export const pastParams = {
  at: pointInTime(
    'Answer the state at this time: RFC 3339 with a zone, not in the future, and not before versions were kept. Absent: the present state. [docs/history.md](history.md#any-moment)',
  )
    .optional()
    .meta({ examples: ['2026-03-01T14:03:00Z'] }),
  inGap: inGapParam,
};

export type InGap = z.output<typeof inGapParam>;
