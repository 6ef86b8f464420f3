/** The environments that a user can evaluate flags in. */
import { queryOptions } from '@tanstack/react-query';
import { allEnvironmentsQuery, environmentsQuery, permissionsQuery, projectsQuery } from '../queries.ts';

interface Choosable {
  readonly name: string;
  readonly displayName: string;
}

/** The environments of more projects would take too many requests. */
const MAX_PROJECTS = 20;

/** Reads all environments; for users who may not list them, those of their projects. */
export const choosableEnvironmentsQuery = queryOptions({
  queryKey: ['projects', 'environments'],
  queryFn: async ({ client }): Promise<readonly Choosable[]> => {
    const allowed = await client.ensureQueryData(permissionsQuery());
    if (allowed.has('GET /environments')) return client.fetchQuery(allEnvironmentsQuery);
    const projects = await client.fetchQuery(projectsQuery);
    const lists = await Promise.all(
      projects.slice(0, MAX_PROJECTS).map(({ id }) => client.fetchQuery(environmentsQuery(id))),
    );
    return [...new Map(lists.flat().map((one) => [one.name, one])).values()];
  },
});
