/** Tools that write, each only after its dry run was shown. */
import { z } from 'zod';
import { rampActions } from '../../src/domain/flag/edit/edit-ramp.ts';
import { MAX_RAMP_STEPS } from '../../src/schema/ramp.ts';
import type { ApiCall, ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { flagOnServer, pathOfFlag } from '../flags/flag-on-server.ts';
import { pathOfRamp, strategyWithRamp } from '../flags/strategy-with-ramp.ts';
import { EXIT } from '../terminal.ts';
import { flagInput } from './read-tools.ts';
import { type Tool, tool } from './tool.ts';

/** The process remembers no more dry runs than this; it forgets the oldest first. */
const MAX_SHOWN = 100;

const DRY_RUN_FIRST =
  'The first call is a dry run, which shows the flag as it would be. Show it to the user; the same call with confirm: true writes.';

const environment = z.string().min(1).max(100).describe('The environment.');
const confirm = z.boolean().default(false).describe('true: write what the dry run has shown.');

/**
 * The process remembers the calls whose dry run was shown. The API refuses a field that a GitOps tool owns, as
 * everywhere.
 */
export function createWriteTools(): readonly Tool[] {
  const shown = new Set<string>();
  return [
    tool({
      name: 'switch',
      description: `Switches one flag on or off in one environment. ${DRY_RUN_FIRST}`,
      writes: true,
      input: { ...flagInput, environment, enabled: z.boolean().describe('Whether the flag is to be on.'), confirm },
      run: async ({ confirm: isConfirmed, flag, project, environment: where, enabled }, server) => {
        const position = enabled ? 'on' : 'off';
        const path = pathOfFlag(await flagOnServer(server, flag, project), 'environments', where, position);
        const done = `The flag is switched ${position} in ${where}.`;
        return write(shown, { server, call: { method: 'POST', path }, isConfirmed, done });
      },
    }),
    tool({
      name: 'ramp',
      description: `Starts, pauses, resumes, skips or aborts the ramp of a strategy, whose percentage rises with time. abort disables the strategy. ${DRY_RUN_FIRST}`,
      writes: true,
      input: {
        ...flagInput,
        environment,
        action: z.enum(rampActions).describe('What to do with the ramp.'),
        step: z.int().min(1).max(MAX_RAMP_STEPS).optional().describe('Of skip alone: the step to go to, from 1.'),
        strategy: z.string().max(100).optional().describe('The id or title of the strategy. Absent: the only ramp.'),
        confirm,
      },
      run: async ({ confirm: isConfirmed, action, step, ...input }, server) => {
        const flag = await flagOnServer(server, input.flag, input.project);
        const place = { flag, environment: input.environment, strategy: input.strategy };
        const path = pathOfRamp(place, await strategyWithRamp(server, place));
        const call = { method: 'POST', path, body: { action, step } } as const;
        const done = `The ramp in ${place.environment} is changed: ${action}.`;
        return write(shown, { server, call, isConfirmed, done });
      },
    }),
  ];
}

interface Write {
  readonly server: ServerConnection;
  readonly call: Pick<ApiCall, 'method' | 'path' | 'body'>;
  readonly isConfirmed: boolean;
  readonly done: string;
}

/** Writes what the dry run has shown, if the call is confirmed; otherwise makes the dry run. */
async function write(shown: Set<string>, { server, call, isConfirmed, done }: Write): Promise<string> {
  const key = JSON.stringify(call);
  if (!isConfirmed) {
    const { body, warnings } = await server.call({ ...call, query: { dryRun: true }, accept: 'application/yaml' });
    remember(shown, key);
    const notes = warnings.map((warning) => `Warning: ${warning}\n`).join('');
    return `Nothing is written yet. The flag would be:\n${String(body)}${notes}Call again with confirm: true to write it.`;
  }
  if (!shown.delete(key)) throw new Failure('call it without confirm first, for the dry run', EXIT.usage);
  const { warnings } = await server.call(call);
  return [done, ...warnings].join('\n');
}

function remember(shown: Set<string>, call: string): void {
  shown.add(call);
  const [oldest] = shown;
  if (shown.size > MAX_SHOWN && oldest !== undefined) shown.delete(oldest);
}
