/** Every endpoint with its row of the table: what all tests over endpoints start from. */
import { routes } from '../../../src/http/routes/all.ts';
import { flagRows } from './flag-rows.ts';
import { otherRows } from './other-rows.ts';
import { projectRows } from './project-rows.ts';
import type { Row, Rows } from './row.ts';

const rows: Rows = { ...projectRows, ...flagRows, ...otherRows };

export interface Endpoint extends Row {
  /** As in the list of routes: `PUT /projects/:projectId/features/:featureName`. */
  readonly route: string;
  readonly method: string;
  /** Of its parameters, in their order. */
  readonly parameters: readonly string[];
  readonly answer: number;
  readonly isRead: boolean;
  /** The flag that it is called with; one that writes has it for itself. */
  readonly flag: string;
  /** The path with these values, percent-encoded, in place of the good ones. */
  readonly path: (values?: Readonly<Record<string, string>>) => string;
}

export const endpoints: readonly Endpoint[] = routes.map(({ method, path, answer }, number) => {
  const route = `${method.toUpperCase()} ${path}`;
  const flag = method === 'get' ? 'for-reads' : `for-${number}`;
  const values: Readonly<Record<string, string>> = {
    projectId: 'shop',
    featureName: flag,
    environment: 'production',
    strategyId: 'one',
    userId: '2',
    roleId: '5',
    // One that writes has it for itself, too.
    strategyName: flag,
    tokenName: flag,
    ...rows[route]?.values,
  };
  return {
    ...rows[route],
    route,
    method: method.toUpperCase(),
    parameters: [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name),
    answer,
    isRead: method === 'get',
    flag,
    path: (other = {}) => path.replace(/:(\w+)/g, (_, name: string) => other[name] ?? values[name] ?? ''),
  };
});

/** Routes that the table does not have, and rows of it that are no route. */
export function mismatches(): readonly string[] {
  const known = endpoints.map(({ route }) => route);
  return [...known.filter((route) => !rows[route]), ...Object.keys(rows).filter((route) => !known.includes(route))];
}
