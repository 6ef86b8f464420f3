/** The bodies of requests about several flags of a project. */
import { z } from 'zod';
import { tagsBody } from './tag.ts';

/** The limit in one call: each flag costs two calls to the API server. */
export const MAX_FLAGS = 500;

const features = z
  .array(z.string().max(100))
  .max(MAX_FLAGS)
  .meta({ description: 'The names of the flags. A repeated name counts once.' });

const EXAMPLE = ['one-page-checkout', 'dark-mode'];
const DROPPED = 'Unknown properties are dropped.';

export const flagsBody = z
  .object({ features })
  .meta({ id: 'FlagNames', description: DROPPED, examples: [{ features: EXAMPLE }] });

export const staleBody = z
  .object({
    features,
    stale: z
      .boolean()
      .nullable()
      .optional()
      .meta({ description: 'Whether they are stale from now on. Null or left out: true.' }),
  })
  .meta({ id: 'MarkStale', description: DROPPED, examples: [{ features: EXAMPLE, stale: true }] });

export const bulkTagsBody = z.object({ features, tags: tagsBody }).meta({
  id: 'ChangeTagsOfFlags',
  description: DROPPED,
  examples: [{ features: EXAMPLE, tags: { addedTags: [{ type: 'simple', value: 'checkout' }], removedTags: [] } }],
});
