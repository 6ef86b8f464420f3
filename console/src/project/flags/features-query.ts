/** The first flags of a project that a filter finds. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api.ts';
import type { KeptFlag } from '../../kept/kept-flags.ts';
import { REFETCH_MS } from '../../queries.ts';
import { type Filter, searchOf } from './filter.ts';

interface FlagsPage {
  readonly limit: number;
  /** The favourites of the user in the project. */
  readonly favourites: readonly KeptFlag[];
}

/** Nothing is asked for if only favourites are wanted, and there are none. */
export const featuresQuery = (projectId: string, filter: Filter, { limit, favourites }: FlagsPage) =>
  queryOptions({
    queryKey: [
      ...['project', projectId, 'features'],
      ...[filter, limit, filter.show === 'favourites' ? favourites : []],
    ],
    queryFn: ({ signal }) => {
      if (filter.show === 'favourites' && favourites.length === 0) return { features: [], total: 0 };
      const query = {
        ...{ project: `IS:${projectId}`, include: 'status' as const, limit: `${limit}` },
        ...searchOf(filter, { now: Date.now(), favourites }),
      };
      return answerOf(api.GET('/api/admin/search/features', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
