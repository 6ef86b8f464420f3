/** Finds what the user may do, so that pages offer nothing else. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { IsPast } from './past/use-past-time.ts';
import { permissionsQuery } from './queries.ts';

/**
 * The function accepts permissions, and endpoints such as `POST /projects/{projectId}/features`, without `/api/admin`.
 * Nothing is allowed until the permissions are known.
 */
export function useAllowed(project?: string, environment?: string): (what: string) => boolean {
  const permissions = usePermissions(project, environment);
  return (what) => permissions?.has(what) ?? false;
}

const NOTHING: ReadonlySet<string> = new Set();

/** What `useAllowed` accepts; undefined until it is known. In the past, nothing is allowed. */
export function usePermissions(project?: string, environment?: string): ReadonlySet<string> | undefined {
  const { data } = useQuery(permissionsQuery(project, environment));
  return useContext(IsPast) ? NOTHING : data;
}

/**
 * Returns the environments in which the user may do all of this; undefined until the permissions for each are known.
 */
export function useEnvironmentsAllowing<E extends { readonly name: string }>(
  project: string,
  environments: readonly E[],
  what: readonly string[],
): readonly E[] | undefined {
  const known = useQueries({ queries: environments.map(({ name }) => permissionsQuery(project, name)) });
  if (known.some(({ isPending }) => isPending)) return undefined;
  return environments.filter((_, index) => what.every((one) => known[index]?.data?.has(one)));
}
