/** A dependency: another flag that is evaluated first. */
import { z } from 'zod';
import { ruled } from './fields/rule.ts';
import { atomicList, wireName } from './fields/shapes.ts';
import { MAX_VARIANTS } from './variant.ts';

/** Maximum for one flag. */
export const MAX_DEPENDENCIES = 10;

export const dependency = z.object({
  feature: wireName('The parent, by its name in the API: a flag of the same project that has no dependencies itself.'),
  enabled: z
    .boolean()
    .optional()
    .meta({ description: 'Whether the parent must be on or off for the same user. Absent: true.' }),
  variants: atomicList(
    z.string().min(1).max(100),
    MAX_VARIANTS.ofFlag,
    'The parent must be on with one of these variants. Absent or empty: any.',
  ).optional(),
});
export type Dependency = z.infer<typeof dependency>;

export const dependencies = ruled(
  atomicList(
    dependency,
    MAX_DEPENDENCIES,
    'Other flags that must be as said for this flag to be on. Without one of them the flag is off.',
  ),
  {
    cel: 'self.all(d, self.exists_one(e, e.feature == d.feature))',
    message: 'each parent may be there once only',
    holds: (list) => !list || new Set(list.map(({ feature }) => feature)).size === list.length,
  },
);
