/**
 * The queries of SDK reports about a flag. Answers may be large and change by the hour, so they are read once a minute.
 */
import { queryOptions } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { answerOf, api } from '../../api.ts';
import type { FeaturePlace } from '../place.ts';

/** The periods that the page can show, by their names in the address. The API answers the longer one by day. */
export const PERIODS = {
  hours: { hours: 48, name: '48 hours' },
  days: { hours: 720, name: '30 days' },
} as const;
export type Period = keyof typeof PERIODS;

export function usePeriod(): Period {
  const [search] = useSearchParams();
  return search.get('usage') === 'days' ? 'days' : 'hours';
}

const REFETCH_MS = 60_000;
const STANDING = { refetchInterval: REFETCH_MS, staleTime: REFETCH_MS, meta: { isStanding: true } } as const;

export const usageQuery = ({ featureName }: FeaturePlace, period: Period) =>
  queryOptions({
    queryKey: ['usage', featureName, period],
    queryFn: async () => {
      const params = { path: { featureName }, query: { hoursBack: `${PERIODS[period].hours}` } };
      return (await answerOf(api.GET('/api/admin/client-metrics/features/{featureName}/raw', { params }))).data;
    },
    ...STANDING,
  });

export const findingQuery = ({ projectId, featureName }: FeaturePlace) =>
  queryOptions({
    queryKey: ['finding', projectId, featureName],
    queryFn: async () => {
      const params = { query: { project: [projectId], name: [featureName] } };
      // The query cache does not accept undefined as an answer.
      return (await answerOf(api.GET('/api/admin/reports/stale', { params }))).findings[0] ?? null;
    },
    ...STANDING,
  });
