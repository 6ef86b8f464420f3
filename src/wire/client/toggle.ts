/** A flag as browsers get it: whether it is on for their context, and its variant. */
import { z } from 'zod';
import type { ClientFeature, ClientVariant } from '../../evaluation/client-document.ts';
import type { Evaluation } from '../../evaluation/why.ts';

export const frontendToggle = z
  .object({
    name: z.string(),
    enabled: z.boolean(),
    variant: z.object({
      name: z.string().meta({ description: 'The name of the variant. `disabled`: there is no variant.' }),
      enabled: z.boolean(),
      payload: z.object({ type: z.string(), value: z.string() }).optional(),
      feature_enabled: z.boolean(),
      featureEnabled: z.boolean(),
    }),
    impressionData: z.boolean(),
  })
  .meta({ id: 'FrontendToggle', description: 'A flag as it is for one context.' });

export const frontendToggles = z
  .object({ toggles: z.array(frontendToggle) })
  .meta({ id: 'FrontendToggles', description: 'Flags as they are for one context, by name.' });

type Toggle = z.infer<typeof frontendToggle>;

export function presentToggle({ name, impressionData }: ClientFeature, { enabled, variant }: Evaluation): Toggle {
  return { name, enabled, variant: presentVariant(variant, enabled), impressionData };
}

function presentVariant(variant: ClientVariant | undefined, featureEnabled: boolean): Toggle['variant'] {
  const both = { feature_enabled: featureEnabled, featureEnabled };
  if (!variant) return { name: 'disabled', enabled: false, ...both };
  const { name, payload } = variant;
  return { name, enabled: true, ...(payload && { payload }), ...both };
}
