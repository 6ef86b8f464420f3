/** Endpoint 20 and its neighbours: what happened. */
import { z } from 'zod';
import type { EntryFilter, Found, Page } from '../../audit/entry.ts';
import { signedIn } from '../identity/asks.ts';
import { visibleTo } from '../identity/visible-history.ts';
import { route, type Services } from '../route.ts';
import { linesOf } from '../send-lines.ts';
import {
  presentEvent,
  presentList,
  presentSearch,
  wireEvent,
  wireEventList,
  wireEventSearch,
  wireFlagEvents,
} from '../wire/event.ts';
import { linksBelow } from '../wire/event-links.ts';
import { exportQuery, filterOf, listQuery, MOST_EVENTS, pageOf, searchQuery } from '../wire/event-query.ts';

/** As real servers (facts §1). */
const NEWEST: Page = { offset: 0, limit: 100 };

interface Search {
  readonly filter: EntryFilter;
  readonly page: Page;
  readonly signal: AbortSignal;
}

async function search(services: Services, { filter, page, signal }: Search): Promise<Found> {
  return services.history.search({ ...filter, ...(await visibleTo(services)) }, page, signal);
}

function links({ catalog, publicUrl }: Services) {
  return linksBelow(catalog, publicUrl);
}

export const eventRoutes = [
  route({
    method: 'get',
    path: '/search/events',
    summary: `Search the events that the caller may see, up to ${MOST_EVENTS} a page.`,
    refuses: [],
    asks: signedIn,
    query: searchQuery,
    answer: 200,
    response: wireEventSearch,
    handle: async (services, { query, signal }) => {
      const found = await search(services, { filter: filterOf(query), page: pageOf(query), signal });
      return presentSearch(found, links(services));
    },
  }),
  route({
    method: 'get',
    path: '/search/events/export',
    summary:
      'Export all events that a search finds, however many: the oldest first, as JSON with a line for each. An answer that is broken off does not end in order.',
    refuses: [],
    asks: signedIn,
    query: exportQuery,
    answer: 200,
    response: wireEvent,
    streams: 'lines',
    handle: async (services, { query }) => {
      const filter = { ...filterOf(query), ...(await visibleTo(services)) };
      const present = links(services);
      return linesOf(async function* (signal) {
        for await (const entry of services.history.stream(filter, signal)) yield presentEvent(entry, present);
      });
    },
  }),
  route({
    method: 'get',
    path: '/events',
    summary: `List the newest ${NEWEST.limit} events that the caller may see.`,
    refuses: [],
    asks: signedIn,
    query: listQuery,
    answer: 200,
    response: wireEventList,
    handle: async (services, { query: { project }, signal }) => {
      const filter = project === undefined || project === '' ? {} : { projects: [project] };
      return presentList(await search(services, { filter, page: NEWEST, signal }), links(services));
    },
  }),
  route({
    method: 'get',
    path: '/events/:featureName',
    summary: `List the newest ${NEWEST.limit} events of a flag that the caller may see; none where nothing is known of it.`,
    refuses: [],
    asks: signedIn,
    params: z.object({
      featureName: z.string().meta({ description: 'The name of the flag.', examples: ['one-page-checkout'] }),
    }),
    answer: 200,
    response: wireFlagEvents,
    handle: async (services, { params: { featureName }, signal }) => {
      const found = await search(services, { filter: { features: [featureName] }, page: NEWEST, signal });
      return { toggleName: featureName, ...presentList(found, links(services)) };
    },
  }),
];
