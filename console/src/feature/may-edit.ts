/** Finds whether the user may change anything of a flag. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { ENVIRONMENT_ENDPOINTS, FLAG_ENDPOINTS } from '../editor/flag-paths.ts';
import { environmentsQuery, permissionsQuery } from '../queries.ts';

const { fields, tags, addDependency, removeDependency } = FLAG_ENDPOINTS;
const OF_FLAG = [fields, tags, addDependency, removeDependency];

/** Returns undefined until the permissions are known. */
export function useMayEdit(projectId: string): boolean | undefined {
  const { data: environments = [], isSuccess: isKnown } = useQuery(environmentsQuery(projectId));
  const queries = [undefined, ...environments.map(({ name }) => name)].map((name) => permissionsQuery(projectId, name));
  const known = useQueries({ queries });
  const wanted = [...OF_FLAG, ...Object.values(ENVIRONMENT_ENDPOINTS)];
  const may = known.some(({ data }) => wanted.some((endpoint) => data?.has(endpoint)));
  const isEachKnown = isKnown && known.every(({ isPending }) => !isPending);
  return may || isEachKnown ? may : undefined;
}
