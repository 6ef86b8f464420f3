/** The queries of the choices that forms offer. */
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api.ts';
import type { FeaturePlace } from '../feature/place.ts';

const MINUTE = 60_000;

export const contextQuery = queryOptions({
  queryKey: ['context fields'],
  queryFn: () => answerOf(api.GET('/api/admin/context')),
  staleTime: MINUTE,
});

export const featureTypesQuery = queryOptions({
  queryKey: ['feature types'],
  queryFn: async () => (await answerOf(api.GET('/api/admin/feature-types'))).types,
  staleTime: MINUTE,
});

/** The key begins with `projects`, because announced changes of projects also change segments. */
export const segmentsQuery = queryOptions({
  queryKey: ['projects', 'segments'],
  queryFn: async () => (await answerOf(api.GET('/api/admin/segments'))).segments,
});

export const parentsQuery = (path: FeaturePlace) =>
  queryOptions({
    queryKey: ['parents', path.projectId, path.featureName],
    queryFn: () =>
      answerOf(api.GET('/api/admin/projects/{projectId}/features/{featureName}/parents', { params: { path } })),
    staleTime: MINUTE,
  });

export const parentVariantsQuery = (path: FeaturePlace) =>
  queryOptions({
    queryKey: ['parent variants', path.projectId, path.featureName],
    queryFn: () =>
      answerOf(api.GET('/api/admin/projects/{projectId}/features/{featureName}/parent-variants', { params: { path } })),
    staleTime: MINUTE,
  });
