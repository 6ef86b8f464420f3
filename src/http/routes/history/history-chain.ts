/** GET /history/chain: the hash chain over the history, for those who verify it. */
import { toHome } from '../../../access/authorization/requirements.ts';
import { wireChainLine } from '../../../wire/admin/event/chain.ts';
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
];
