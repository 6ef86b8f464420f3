/**
 * The queries of SDK reports about a flag. Answers may be large and change by the hour, so they are read once a minute.
 */
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api.ts';
import type { FeaturePlace } from '../place.ts';

export const HOURS = 48;
const REFETCH_MS = 60_000;
const STANDING = { refetchInterval: REFETCH_MS, staleTime: REFETCH_MS, meta: { isStanding: true } } as const;

export const usageQuery = ({ featureName }: FeaturePlace) =>
  queryOptions({
    queryKey: ['usage', featureName],
    queryFn: async () => {
      const params = { path: { featureName }, query: { hoursBack: `${HOURS}` } };
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
