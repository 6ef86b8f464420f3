/** Change requests, and decisions on them. */
import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, checked } from '../api.ts';
import { REFETCH_MS } from '../queries.ts';

export type ChangeRequest = Schemas['ChangeRequest'];

export const requestsQuery = (isOpen: boolean) =>
  queryOptions({
    queryKey: ['change-requests', isOpen],
    queryFn: async () => {
      const query = isOpen ? { open: true } : {};
      return (await answerOf(api.GET('/api/admin/change-requests', { params: { query } }))).changeRequests;
    },
    refetchInterval: REFETCH_MS,
  });

export interface Decision {
  readonly state: 'Approved' | 'Rejected' | 'Cancelled';
  readonly comment: string | undefined;
}

export async function decideOn({ id, project }: ChangeRequest, { state, comment }: Decision): Promise<void> {
  const path = { projectId: project ?? '', id };
  const body = { state, ...(comment !== undefined && { comment }) };
  await checked(
    api.PUT('/api/admin/projects/{projectId}/change-requests/{id}/state', { params: { path }, body, parseAs: 'text' }),
  );
}
