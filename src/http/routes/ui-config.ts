/** GET /ui-config: name and version of the server. */
import { z } from 'zod';
import { signedIn } from '../../access/authorization/requirements.ts';
import { route } from '../route/route.ts';

const wireUiConfig = z
  .object({
    name: z.string().meta({ examples: ['Vexil'] }),
    version: z.string().meta({ description: 'The version of Vexil, not of the API.', examples: ['1.2.3'] }),
    environment: z.string().meta({ description: 'The platform of the server.', examples: ['Kubernetes'] }),
    unleashUrl: z.string().optional().meta({ description: 'The public URL, if it is configured.' }),
    flags: z
      .record(z.string(), z.boolean())
      .meta({ description: 'Feature switches of the server itself. Vexil has none.' }),
  })
  .meta({ id: 'UiConfig' });

export const uiConfigRoutes = [
  route({
    method: 'get',
    path: '/ui-config',
    summary: 'Read the name and version of the server.',
    description: 'The answer lacks what the user interface of Unleash needs.',
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireUiConfig,
    handle: ({ version, publicUrl }) => ({
      name: 'Vexil',
      version,
      environment: 'Kubernetes',
      ...(publicUrl !== undefined && { unleashUrl: publicUrl }),
      flags: {},
    }),
  }),
];
