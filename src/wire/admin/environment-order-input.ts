/** The body of requests that order environments. */
import { z } from 'zod';
import { sortOrder } from '../../schema/environment.ts';

export const environmentOrderBody = z.record(z.string(), sortOrder).meta({
  id: 'EnvironmentOrder',
  description: 'The new sortOrder of each environment that is named, lower is higher up; the others keep theirs.',
  examples: [{ development: 1, production: 2 }],
});
