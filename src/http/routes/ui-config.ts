/** What programs ask first: which server this is. */
import { z } from 'zod';
import { signedIn } from '../identity/asks.ts';
import { route } from '../route.ts';

const wireUiConfig = z
  .object({
    name: z.string().meta({ examples: ['Vexil'] }),
    version: z.string().meta({ description: 'Of Vexil, not of the API that it speaks.', examples: ['1.2.3'] }),
    environment: z.string().meta({ description: 'Where it runs.', examples: ['Kubernetes'] }),
    unleashUrl: z.string().optional().meta({ description: 'Where people reach it, if that is configured.' }),
    flags: z
      .record(z.string(), z.boolean())
      .meta({ description: 'Switches of the server itself, of which there are none.' }),
  })
  .meta({ id: 'UiConfig' });

export const uiConfigRoutes = [
  route({
    method: 'get',
    path: '/ui-config',
    summary: 'Read which server this is, and its version.',
    refuses: [],
    asks: signedIn,
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
