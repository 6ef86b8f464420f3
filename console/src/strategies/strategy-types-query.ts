/** The query of all strategy types. */
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api.ts';

export const strategyTypesQuery = queryOptions({
  queryKey: ['strategies'],
  queryFn: async () => (await answerOf(api.GET('/api/admin/strategies'))).strategies,
});
