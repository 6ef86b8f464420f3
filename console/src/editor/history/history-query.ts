/** The events of a flag that the filters find, newest first, page by page. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api.ts';
import { isWay } from '../../events/way-choice.tsx';
import type { FeaturePlace } from '../../feature/place.ts';
import { featureKey, REFETCH_MS } from '../../queries.ts';
import type { Filters } from './filters.tsx';
import { KINDS } from './kinds.ts';

/** More events at once make the page slow. */
const EVENTS_AT_ONCE = 100;

function searchOf({ entry, environment, kind, author, channel, from, to }: Filters) {
  const types = Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS].types : [];
  return {
    ...(/^\d{1,15}$/.test(entry) && { id: `IS:${entry}` }),
    ...(environment !== '' && { environment: `IS:${environment}` }),
    ...(types.length > 0 && { type: `IS_ANY_OF:${types.join(',')}` }),
    ...(author.trim() !== '' && { author: author.trim() }),
    ...(isWay(channel) && { channel: `IS:${channel}` }),
    ...(from !== '' && { from: `IS:${from}` }),
    ...(to !== '' && { to: `IS:${to}` }),
  };
}

export const historyQuery = (path: FeaturePlace, filters: Filters) =>
  infiniteQueryOptions({
    queryKey: [...featureKey(path, 'history'), filters],
    queryFn: ({ pageParam: offset }) => {
      const page = { offset: `${offset}`, limit: `${EVENTS_AT_ONCE}` };
      const query = { feature: `IS:${path.featureName}`, ...searchOf(filters), ...page };
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
