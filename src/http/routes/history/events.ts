/** GET /search/events, its export, and the older lists of events. */

import { z } from 'zod';
import { signedIn } from '../../../access/authorization/requirements.ts';
import { visibleTo } from '../../../access/readable/visible-history.ts';
import { linksBelow } from '../../../audit/deliver/links-below.ts';
import type { EntryFilter, Found, Page } from '../../../domain/history/entry.ts';
import {
  presentEvent,
  presentList,
  presentSearch,
  wireEvent,
  wireEventList,
  wireEventSearch,
  wireFlagEvents,
} from '../../../wire/admin/event/event.ts';
import {
  exportQuery,
  filterOf,
  listQuery,
  MAX_EVENTS,
  pageOf,
  searchQuery,
} from '../../../wire/admin/event/event-query.ts';
import { type RouteServices, route } from '../../route/route.ts';
import { linesOf } from '../../server/answer/send-pieces.ts';

/** The page of the older lists (docs/unleash-compatibility.md#event-search). */
const NEWEST: Page = { offset: 0, limit: 100 };

interface Search {
  readonly filter: EntryFilter;
  readonly page: Page;
  readonly signal: AbortSignal;
}

async function search(services: RouteServices, { filter, page, signal }: Search): Promise<Found> {
  return services.history.search({ ...filter, ...(await visibleTo(services)) }, page, signal);
}

function links({ catalog, publicUrl }: RouteServices) {
  return linksBelow(catalog, publicUrl);
}

export const eventRoutes = [
  route({
    method: 'get',
    path: '/search/events',
    summary: `Search the events that the caller may see, up to ${MAX_EVENTS} a page.`,
    description:
      '`createdBy` takes ids of users. All users who are not FlagUsers have the id -1: to find one of them, use `author`, which takes a part of a name. `query` does not match names of users. It compares JSON: write a quote as `\\"`. The size of a page in bytes has no limit: with large flags, ask for small pages or for the export. Vexil makes `label` and `summary` for each answer; their links lead to pages of the console below `VEXIL_PUBLIC_URL`. With `VEXIL_WATCH_NAMESPACES=*` only admins see the events of a namespace without a project.',
    errors: [],
    requires: signedIn,
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
      'Export all events that a search finds, the oldest first, as JSON lines. If the export fails, the connection is closed before the end of the answer.',
    description:
      'The events are in the order of their ids. Events that were restored from Kubernetes Events after the archive was lost have higher ids than their time suggests. Vexil disconnects a caller that reads nothing for a minute. The number of exports at the same time has no limit.',
    errors: [],
    requires: signedIn,
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
    errors: [],
    requires: signedIn,
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
    summary: `List the newest ${NEWEST.limit} events of a flag that the caller may see. The list is empty for an unknown flag.`,
    errors: [],
    requires: signedIn,
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
