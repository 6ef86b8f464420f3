/** The flags that SDKs evaluate, as changes. */
import { changeSource } from '../../../delivery/change-source.ts';
import type { StreamConnection } from '../../../delivery/open-stream.ts';
import { featuresQuery, snapshotQuery } from '../../../wire/client/query.ts';
import { clientDelta } from '../../../wire/client/shapes.ts';
import { clientRoute } from '../../route/client-route.ts';
import { EventStream } from '../../server/answer/event-stream.ts';

const reads = { method: 'get', caller: 'sdk', isLimited: true, query: featuresQuery, answer: 200 } as const;

export const clientChangeRoutes = [
  clientRoute({
    ...reads,
    path: '/api/client/delta',
    summary: 'Get the changes of the flags of an environment.',
    description: `\`If-None-Match\` has the ETag of the last answer that the caller has. Without this header, or if the ETag is too old or from another replica, the answer is one event \`hydration\` with all flags. [docs/streaming.md](streaming.md)`,
    errors: [],
    response: clientDelta,
    handle: ({ pages }, { scope, query, known, inlinesSegments, isForEdge }) =>
      pages.delta(snapshotQuery({ ...scope, inlinesSegments, isForEdge }, query), known),
  }),

  clientRoute({
    ...reads,
    path: '/api/client/streaming',
    summary: 'Get the flags of an environment, then each change as it happens.',
    description: `The answer is server-sent events: \`unleash-connected\` first, then \`unleash-updated\`. The data of both is an answer of \`/api/client/delta\`. \`Last-Event-ID\` names the last event that the caller has. [docs/streaming.md](streaming.md)`,
    errors: ['too-many-streams'],
    streams: true,
    async handle({ feeds, streams, stalledMs, observe, goodAt }, { scope, query, known, inlinesSegments, isForEdge }) {
      const feed = await feeds.ready(snapshotQuery({ ...scope, inlinesSegments, isForEdge }, query), known);
      const { isStillAllowed: isAllowed } = scope;
      const source = changeSource({
        ...{ feed, known, hydrated: () => observe.hydrated('streaming') },
        goodAt: isForEdge ? goodAt : undefined,
      });
      const holder = scope.sha256;
      const open = (connection: StreamConnection) => streams.open('changes', { source, isAllowed, connection, holder });
      return new EventStream(open, stalledMs);
    },
  }),
];
