/** A project with its texts and its naming pattern. */
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api.ts';

export const projectQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'settings'],
    queryFn: () => answerOf(api.GET('/api/admin/projects/{projectId}/overview', { params: { path: { projectId } } })),
  });
