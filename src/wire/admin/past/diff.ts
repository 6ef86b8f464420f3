/** What changed between two times, on the wire. */
import { z } from 'zod';
import type { UncertainSpan } from '../../../errors.ts';
import { pointInTime } from '../../../schema/fields/shapes.ts';
import { inGapParam } from '../../past-query.ts';
import { repeated } from '../query.ts';
import { presentChanges, wireChanges } from './field-change.ts';
import { presentSpan, wireSpan } from './span.ts';

/** In one answer. */
const MAX_DIFFERENT = 500;

export const diffQuery = z.object({
  from: pointInTime('The first time: RFC 3339 with a zone, not in the future, and not before versions were kept.').meta(
    { examples: ['2026-03-01T14:03:00Z'] },
  ),
  to: pointInTime('The second time, in the same form. Absent: the present state.')
    .optional()
    .meta({ examples: ['2026-03-02T14:03:00Z'] }),
  inGap: inGapParam.meta({
    description:
      'What counts for flags that changed at an unknown time around one of the two times: the state `before` or `after` the change. Absent: these flags are `uncertain`.',
  }),
  feature: repeated.meta({ description: 'Only the flags with these names.' }),
});

const wireFlagDiff = z
  .object({
    name: z.string().meta({ examples: ['one-page-checkout'] }),
    action: z.enum(['created', 'changed', 'replaced', 'gone', 'uncertain']).meta({
      description:
        '`replaced`: another object has the name, as the flag was deleted and made again. `uncertain`: it is not known whether a change was before or after one of the times.',
      examples: ['changed'],
    }),
    ...wireChanges,
    uncertain: z
      .array(wireSpan)
      .meta({ description: 'Between which times the uncertain changes happened.', examples: [[]] }),
  })
  .meta({ id: 'FlagDiff' });

export const wireDiff = z
  .object({
    flags: z
      .array(wireFlagDiff)
      .meta({ description: `The flags that differ, sorted by name, at most ${MAX_DIFFERENT}. Archived flags count.` }),
    more: z.int().meta({ description: 'How many more flags differ.', examples: [0] }),
  })
  .meta({ id: 'Diff' });

export interface FlagDiff {
  readonly name: string;
  readonly action: z.infer<typeof wireFlagDiff>['action'];
  readonly changes: Parameters<typeof presentChanges>[0];
  readonly uncertain: readonly UncertainSpan[];
}

export function presentDiff(flags: readonly FlagDiff[]): z.infer<typeof wireDiff> {
  return {
    flags: flags.slice(0, MAX_DIFFERENT).map(({ name, action, changes, uncertain }) => ({
      ...{ name, action, ...presentChanges(changes) },
      uncertain: uncertain.map(presentSpan),
    })),
    more: Math.max(0, flags.length - MAX_DIFFERENT),
  };
}
