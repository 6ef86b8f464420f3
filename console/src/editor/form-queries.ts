/** What forms offer to choose from. */
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

/** A part of the projects for changes that are announced: segments change with them. */
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
