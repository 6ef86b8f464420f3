/** Tools that only read flags, explanations, histories, evaluations, and flags that can be removed. */
import { z } from 'zod';
import { searchedWays } from '../../src/domain/history/way.ts';
import type { ServerConnection } from '../connection/server.ts';
import { evaluationQuery } from '../flags/evaluation-query.ts';
import { flagOnServer, pathOfFlag } from '../flags/flag-on-server.ts';
import { type Tool, tool } from './tool.ts';

const project = z.string().max(100).optional().describe('The id of the project. Absent: any.');
const limit = z.int().min(1).max(100).default(20).describe('How many at most.');

/** The input that identifies a flag. */
export const flagInput = {
  flag: z.string().min(1).max(100).describe('The name of the flag, as applications ask for it.'),
  project,
};

type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

async function read(server: ServerConnection, path: string, query: QueryParameters = {}): Promise<unknown> {
  return (await server.call({ method: 'GET', path, query })).body;
}

function asText(value: unknown): string {
  return JSON.stringify(value, null, 1);
}

const is = (value: string | undefined) => (value === undefined ? undefined : `IS:${value}`);

export const readTools: readonly Tool[] = [
  tool({
    name: 'flags',
    description: 'Lists the feature flags that you may read, with their environments.',
    input: {
      query: z.string().max(100).optional().describe('A part of a name, a description or a tag.'),
      project,
      limit,
    },
    run: async (input, server) => {
      const query = { query: input.query, project: is(input.project), limit: input.limit };
      return asText(await read(server, '/search/features', query));
    },
  }),
  tool({
    name: 'explain',
    description:
      'Shows one flag with its strategies and what is in effect in each environment, and who owns each field: a GitOps tool or people.',
    input: flagInput,
    run: async (input, server) => {
      const flag = await flagOnServer(server, input.flag, input.project);
      const feature = await read(server, pathOfFlag(flag));
      return asText({ feature, ownership: await read(server, pathOfFlag(flag, 'ownership')) });
    },
  }),
  tool({
    name: 'history',
    description: 'Lists the newest events of one flag: what was changed, when, and by whom.',
    input: {
      ...flagInput,
      channel: z.enum(searchedWays).optional().describe('Only changes that came this way. Absent: any way.'),
      limit,
    },
    run: async ({ flag, project, channel, limit }, server) => {
      const query = { feature: is(flag), project: is(project), channel: is(channel), limit };
      return asText(await read(server, '/search/events', query));
    },
  }),
  tool({
    name: 'evaluate',
    description: 'Says whether one flag is on for a context, and why, with the fields that decided.',
    input: {
      ...flagInput,
      environment: z.string().max(100).optional().describe('Absent: the first one of the project.'),
      context: z
        .record(z.string(), z.string())
        .default({})
        .describe('Fields such as userId, and any other field that strategies use.'),
      at: z.string().max(40).optional().describe('The time, RFC 3339 with a zone: windows and ramps as they are then.'),
    },
    run: async (input, server) => {
      const flag = await flagOnServer(server, input.flag, input.project);
      return asText(await read(server, pathOfFlag(flag, 'evaluate'), evaluationQuery(input)));
    },
  }),
  tool({
    name: 'stale_report',
    description: 'Lists flags that can be removed, with the evidence of their use.',
    input: { project, limit },
    run: async (input, server) => {
      return asText(await read(server, '/reports/stale', { project: input.project, limit: input.limit }));
    },
  }),
];
