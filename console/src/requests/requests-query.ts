/** Change requests, and decisions on them. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, checked } from '../api.ts';
import type { FeaturePlace } from '../feature/place.ts';
import { REFETCH_MS } from '../queries.ts';

export type ChangeRequest = Schemas['ChangeRequest'];

const OPEN: readonly ChangeRequest['state'][] = ['In review', 'Approved'];

/** Whether the request has not ended. */
export function isOpen({ state }: ChangeRequest): boolean {
  return OPEN.includes(state);
}

/** The leader counts a decision, and makes an approved change, soon after the answer. */
const COUNTED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 500;
let decidedAt = Number.NEGATIVE_INFINITY;
const refetchInterval = () => (performance.now() - decidedAt < COUNTED_WITHIN_MS ? LOOK_EVERY_MS : REFETCH_MS);

/** Requests may be large. */
const REQUESTS_AT_ONCE = 20;

/** Which requests the page shows. */
export const CHOICES = {
  '': { name: 'Open requests', query: { open: true } },
  'to-approve': { name: 'To approve by me', query: { for: 'to-approve' } },
  mine: { name: 'My open requests', query: { open: true, for: 'mine' } },
  all: { name: 'All requests', query: {} },
} as const;
export type Choice = keyof typeof CHOICES;

export const requestsQuery = (choice: Choice) =>
  infiniteQueryOptions({
    queryKey: ['change-requests', 'list', choice],
    queryFn: ({ pageParam: offset }) => {
      const query = { ...CHOICES[choice].query, offset: `${offset}`, limit: `${REQUESTS_AT_ONCE}` };
      return answerOf(api.GET('/api/admin/change-requests', { params: { query } }));
    },
    initialPageParam: 0,
    refetchInterval,
    getNextPageParam({ total }, pages) {
      const read = pages.length * REQUESTS_AT_ONCE;
      return read < total ? read : undefined;
    },
    // A request that is made between two reads moves the others to the next page.
    select: ({ pages }) => [
      ...new Map(
        pages.flatMap(({ changeRequests }) => changeRequests).map((one) => [`${one.project}/${one.id}`, one]),
      ).values(),
    ],
  });

interface RequestPlace {
  readonly project: string;
  readonly id: string;
}

/** The address of the review of one request. */
export function reviewPath({ project, id }: RequestPlace): string {
  return `/change-requests?${new URLSearchParams({ project, request: id })}`;
}

/** As a list of one, like the other lists. */
export const oneRequestQuery = ({ project, id }: RequestPlace) =>
  queryOptions({
    queryKey: ['change-requests', project, id],
    queryFn: async () => {
      const params = { path: { projectId: project, id } };
      return [await answerOf(api.GET('/api/admin/projects/{projectId}/change-requests/{id}', { params }))];
    },
    refetchInterval,
  });

/** `at` is empty for the time at which the change would be made. */
export const effectsQuery = ({ project, id }: RequestPlace, at: string) =>
  queryOptions({
    queryKey: ['change-requests', project, id, 'effects', at],
    queryFn: () => {
      const params = { path: { projectId: project, id }, query: at === '' ? {} : { at } };
      return answerOf(api.GET('/api/admin/projects/{projectId}/change-requests/{id}/effects', { params }));
    },
  });

/** The requests for a flag that have not ended. */
export const openRequestsQuery = ({ projectId, featureName }: FeaturePlace) =>
  queryOptions({
    queryKey: ['change-requests', projectId, featureName, 'open'],
    queryFn: async () => {
      const params = { path: { projectId }, query: { open: true, feature: featureName } };
      return (await answerOf(api.GET('/api/admin/projects/{projectId}/change-requests', { params }))).changeRequests;
    },
    refetchInterval,
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
  decidedAt = performance.now();
}

export async function commentOn({ id, project }: ChangeRequest, text: string): Promise<void> {
  const path = { projectId: project ?? '', id };
  await checked(
    api.POST('/api/admin/projects/{projectId}/change-requests/{id}/comments', { params: { path }, body: { text } }),
  );
}
