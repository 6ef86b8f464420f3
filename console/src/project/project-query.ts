/** A project with its texts and its naming pattern. */
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api.ts';

export const projectQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'settings'],
    queryFn: () => answerOf(api.GET('/api/admin/projects/{projectId}/overview', { params: { path: { projectId } } })),
  });

/** What the frame of the pages of a project shows. It seldom changes, and each tab would read it at each change. */
export const projectFrameQuery = (projectId: string) =>
  queryOptions({
    ...projectQuery(projectId),
    queryKey: ['project-frame', projectId],
    meta: { isStanding: true },
    staleTime: 60_000,
  });
