/** The events of a flag, newest first, page by page. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api.ts';
import type { FeaturePlace } from '../../feature/place.ts';
import { featureKey, REFETCH_MS } from '../../queries.ts';

/** More events at once make the page slow. */
const EVENTS_AT_ONCE = 100;

export const historyQuery = (path: FeaturePlace) =>
  infiniteQueryOptions({
    queryKey: featureKey(path, 'history'),
    queryFn: ({ pageParam: offset }) => {
      const query = { feature: `IS:${path.featureName}`, offset: `${offset}`, limit: `${EVENTS_AT_ONCE}` };
      return answerOf(api.GET('/api/admin/search/events', { params: { query } }));
    },
    initialPageParam: 0,
    // An event is recorded a moment after the change, so the read that the change caused may miss it.
    refetchInterval: REFETCH_MS,
    getNextPageParam({ total }, pages) {
      const read = pages.length * EVENTS_AT_ONCE;
      return read < total ? read : undefined;
    },
    // An event that is recorded between two reads moves the others to the next page.
    select: ({ pages }) => [
      ...new Map(pages.flatMap(({ events }) => events).map((event) => [event.id, event])).values(),
    ],
  });
