/** Tools that write, each only after its dry run was shown. */
import { z } from 'zod';
import { pathOf } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { EXIT } from '../terminal.ts';
import { flagInput, flagPath } from './read-tools.ts';
import { type Tool, tool } from './tool.ts';

/** More are forgotten, the oldest first. */
const MAX_SHOWN = 100;

/** The calls whose dry run was shown belong to the process. A field that a GitOps tool owns is refused, as everywhere. */
export function createWriteTools(): readonly Tool[] {
  const shown = new Set<string>();
  return [
    tool({
      name: 'switch',
      description:
        'Switches one flag on or off in one environment. The first call is a dry run, which shows the flag as it would be. Show it to the user; the same call with confirm: true writes.',
      writes: true,
      input: {
        ...flagInput,
        environment: z.string().min(1).max(100).describe('The environment.'),
        enabled: z.boolean().describe('Whether the flag is to be on.'),
        confirm: z.boolean().default(false).describe('true: write what the dry run has shown.'),
      },
      run: async ({ confirm, ...change }, server) => {
        const { environment, enabled } = change;
        const path = pathOf(...(await flagPath(server, change)), 'environments', environment, enabled ? 'on' : 'off');
        if (!confirm) {
          const query = { dryRun: true };
          const { body, warnings } = await server.call({ method: 'POST', path, query, accept: 'application/yaml' });
          remember(shown, path);
          const notes = warnings.map((warning) => `Warning: ${warning}\n`).join('');
          return `Nothing is written yet. The flag would be:\n${String(body)}${notes}Call again with confirm: true to write it.`;
        }
        if (!shown.delete(path)) throw new Failure('call it without confirm first, for the dry run', EXIT.usage);
        const { warnings } = await server.call({ method: 'POST', path });
        return [`The flag is switched ${enabled ? 'on' : 'off'} in ${environment}.`, ...warnings].join('\n');
      },
    }),
  ];
}

function remember(shown: Set<string>, path: string): void {
  shown.add(path);
  const [oldest] = shown;
  if (shown.size > MAX_SHOWN && oldest !== undefined) shown.delete(oldest);
}
