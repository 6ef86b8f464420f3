/** The first flags of a project that a filter finds. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api.ts';
import { REFETCH_MS } from '../queries.ts';
import { type Filter, searchOf } from './filter.ts';

export const featuresQuery = (projectId: string, filter: Filter, limit: number) =>
  queryOptions({
    queryKey: ['project', projectId, 'features', filter, limit],
    queryFn: ({ signal }) => {
      const query = {
        ...{ project: `IS:${projectId}`, include: 'status' as const, limit: `${limit}` },
        ...searchOf(filter),
      };
      return answerOf(api.GET('/api/admin/search/features', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
