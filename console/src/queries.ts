/** The queries of pages, with their keys. */
import { type QueryFilters, queryOptions } from '@tanstack/react-query';
import { answerOf, api, signInMethods } from './api.ts';
import type { FeaturePlace } from './feature/place.ts';

/** Pages also read without an announced change, because a proxy may hold streams back. */
export const REFETCH_MS = 15_000;

/** For what does not change: it is not read again at each announced change. */
export const UNCHANGING = { staleTime: Number.POSITIVE_INFINITY, meta: { isStanding: true } } as const;

/** Which queries announced changes, and own ones, read again. */
export const OF_OBJECTS: QueryFilters = { predicate: ({ meta }) => meta?.['isStanding'] !== true };

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async () => (await answerOf(api.GET('/api/admin/user'))).user,
  ...UNCHANGING,
});

export const methodsQuery = queryOptions({
  queryKey: ['methods'],
  queryFn: signInMethods,
  ...UNCHANGING,
});

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: async () => (await answerOf(api.GET('/api/admin/projects'))).projects,
  refetchInterval: REFETCH_MS,
});

export const environmentsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'environments'],
    queryFn: async () => {
      const params = { path: { projectId } };
      const { environments } = await answerOf(api.GET('/api/admin/environments/project/{projectId}', { params }));
      return environments.filter(({ visible }) => visible);
    },
    // Freezes begin and end without an announced change.
    refetchInterval: REFETCH_MS,
  });

export const allEnvironmentsQuery = queryOptions({
  queryKey: ['environments'],
  queryFn: async () => (await answerOf(api.GET('/api/admin/environments'))).environments,
});

export const featureKey = ({ projectId, featureName, past }: FeaturePlace, part: string) => [
  ...['project', projectId, 'feature'],
  ...[featureName, part],
  ...(past ? [past] : []),
];

/** A past state does not change. */
const timingOf = ({ past }: FeaturePlace) => (past ? UNCHANGING : { refetchInterval: REFETCH_MS });

export const featureQuery = (path: FeaturePlace) =>
  queryOptions({
    queryKey: featureKey(path, 'flag'),
    queryFn: () => {
      const params = { path, query: { variantEnvironments: true, ...path.past } };
      return answerOf(api.GET('/api/admin/projects/{projectId}/features/{featureName}', { params }));
    },
    ...timingOf(path),
  });

export const statusQuery = (path: FeaturePlace) =>
  queryOptions({
    queryKey: featureKey(path, 'status'),
    queryFn: () => {
      const params = { path, query: { ...path.past } };
      return answerOf(api.GET('/api/admin/projects/{projectId}/features/{featureName}/status', { params }));
    },
    ...timingOf(path),
  });

/** The largest number of fields in one answer. */
export const MAX_FIELDS = '5000';

export const ownersQuery = (path: FeaturePlace) =>
  queryOptions({
    queryKey: featureKey(path, 'owners'),
    queryFn: () => {
      const params = { path, query: { limit: MAX_FIELDS } };
      return answerOf(api.GET('/api/admin/projects/{projectId}/features/{featureName}/ownership', { params }));
    },
  });

/** Without a project, returns what the user may do outside projects. */
export const permissionsQuery = (project?: string, environment?: string) =>
  queryOptions({
    queryKey: ['permissions', project, environment],
    queryFn: async () => {
      const query = { ...(project !== undefined && { project }), ...(environment !== undefined && { environment }) };
      const params = { query };
      const { endpoints, permissions } = await answerOf(api.GET('/api/admin/user/permissions', { params }));
      return new Set<string>([...endpoints, ...permissions]);
    },
    staleTime: 60_000,
    meta: { isStanding: true },
  });
