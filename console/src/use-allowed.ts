/** What the user may do, so that pages offer nothing else. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { permissionsQuery } from './queries.ts';

/**
 * Endpoints as `POST /projects/{projectId}/features`, without `/api/admin`, or permissions. Nothing is allowed until it
 * is known.
 */
export function useAllowed(project?: string, environment?: string): (what: string) => boolean {
  const { data } = useQuery(permissionsQuery(project, environment));
  return (what) => data?.has(what) ?? false;
}

/** The environments in which the user may do all of this; undefined until it is known of each. */
export function useEnvironmentsAllowing<E extends { readonly name: string }>(
  project: string,
  environments: readonly E[],
  what: readonly string[],
): readonly E[] | undefined {
  const known = useQueries({ queries: environments.map(({ name }) => permissionsQuery(project, name)) });
  if (known.some(({ isPending }) => isPending)) return undefined;
  return environments.filter((_, index) => what.every((one) => known[index]?.data?.has(one)));
}
