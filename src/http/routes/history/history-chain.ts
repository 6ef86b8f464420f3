/** GET /history/chain, /history/heads: the hash chain over the history, for those who verify it. */
import { toHome } from '../../../access/authorization/requirements.ts';
import { headsQuery, wireChainLine, wireHeads } from '../../../wire/admin/event/chain.ts';
import { route } from '../../route/route.ts';
import { linesOf } from '../../server/answer/send-pieces.ts';

export const chainRoutes = [
  route({
    method: 'get',
    path: '/history/chain',
    summary:
      'Read the hash chain over the history with all rows that it commits, as JSON lines. If the answer fails, the connection is closed before the last line.',
    description:
      'The rows are as they are stored: with all projects, names and addresses. `vexil history verify` reads this endpoint.',
    errors: [],
    requires: toHome({ verb: 'list', resource: 'flagusers', permission: 'ADMIN' }),
    answer: 200,
    response: wireChainLine,
    streams: 'lines',
    handle: (services) => linesOf((signal) => services.history.chain(signal)),
  }),
  route({
    method: 'get',
    path: '/history/heads',
    summary: 'List the signed heads of the chain over the history, by their numbers.',
    description: 'docs/history.md says which bytes are signed, and how another program verifies them.',
    errors: [],
    requires: toHome({ verb: 'list', resource: 'flagusers', permission: 'ADMIN' }),
    query: headsQuery,
    answer: 200,
    response: wireHeads,
    handle: async (services, { query: { after, limit }, signal }) => {
      const heads = await services.history.heads.list({ after, limit }, signal);
      return { heads: [...heads], next: heads.length < limit ? null : (heads.at(-1)?.n ?? null) };
    },
  }),
];
