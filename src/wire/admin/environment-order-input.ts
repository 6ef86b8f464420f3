/** The body of requests that order environments. */
import { z } from 'zod';
import { sortOrder } from '../../schema/environment.ts';

export const environmentOrderBody = z.record(z.string(), sortOrder).meta({
  id: 'EnvironmentOrder',
  description:
    'The new sortOrder of each named environment. Lower comes first. Other environments keep their sortOrder.',
  examples: [{ development: 1, production: 2 }],
});
