/** Types of flags on the wire. */
import { z } from 'zod';
import { lifetimeDaysByType } from '../../../domain/flag/lifetime.ts';
import { type FlagType, flagTypes } from '../../../schema/feature-flag.ts';
import { wirePositive } from '../fields.ts';

const wireFeatureType = z
  .object({
    id: z.enum(flagTypes),
    name: z.string().meta({ examples: ['Release'] }),
    description: z.string().meta({ examples: ['Roll out a new feature.'] }),
    lifetimeDays: wirePositive
      .nullable()
      .meta({ description: 'The days that flags of the type are expected to live. Null: no limit.', examples: [40] }),
  })
  .meta({ id: 'FeatureType' });

export const wireFeatureTypes = z
  .object({ version: z.literal(1), types: z.array(wireFeatureType) })
  .meta({ id: 'FeatureTypes' });

const words: Readonly<Record<FlagType, { readonly name: string; readonly description: string }>> = {
  release: { name: 'Release', description: 'Roll out a new feature.' },
  experiment: { name: 'Experiment', description: 'Find out which of several versions is best.' },
  operational: { name: 'Operational', description: 'Control an aspect of how the system is rolled out or operated.' },
  'kill-switch': { name: 'Kill switch', description: 'Turn critical functionality off when it does harm.' },
  permission: { name: 'Permission', description: 'Grant features to those who are entitled to them.' },
};

export function presentFeatureTypes(): z.infer<typeof wireFeatureTypes> {
  const types = flagTypes.map((id) => ({ id, ...words[id], lifetimeDays: lifetimeDaysByType[id] ?? null }));
  return { version: 1, types };
}
