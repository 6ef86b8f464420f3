/** Every endpoint with its row of the table. All tests over endpoints use this list. */
import type { Route } from '../../../src/http/route/route.ts';
import { routes } from '../../../src/http/routes/all.ts';
import { alertRows } from './alert-rows.ts';
import { approvalRows } from './approval-rows.ts';
import { flagRows } from './flag-rows.ts';
import { historyRows } from './history-rows.ts';
import { otherRows } from './other-rows.ts';
import { projectRows } from './project-rows.ts';
import { rolloutRows } from './rollout-rows.ts';
import { namesIn, type Place, type Row, type Rows } from './row.ts';
import { segmentRows } from './segment-rows.ts';
import { usageRows } from './usage-rows.ts';

const rows: Rows = {
  ...projectRows,
  ...flagRows,
  ...rolloutRows,
  ...alertRows,
  ...approvalRows,
  ...segmentRows,
  ...usageRows,
  ...historyRows,
  ...otherRows,
};

export interface Endpoint extends Row {
  /** The route as in the list of routes: `PUT /projects/:projectId/features/:featureName`. */
  readonly route: string;
  readonly definition: Route;
  readonly method: string;
  /** The names of its parameters, in their order. */
  readonly parameters: readonly string[];
  readonly answer: number;
  readonly isRead: boolean;
  /** The flag of a good call. An endpoint that writes has a flag of its own. */
  readonly flag: string;
  /** The path with these values, percent-encoded, in place of the good ones. */
  readonly path: (values?: Readonly<Record<string, string>>) => string;
  /** The requests of `versions`, with the good values. */
  readonly reads: readonly string[];
  readonly bodyIn: (place: Place) => unknown;
}

/** The id of the segment that has the name of the flag. */
export function segmentIdOf(flag: string): number {
  const [number = '-1'] = /\d+/.exec(flag) ?? [];
  return 1001 + Number(number);
}

const ANSWERS: Readonly<Record<NonNullable<Row['finds']>, number>> = { nothing: 404, 'no history': 400 };

function endpointOf(definition: Route, number: number): Endpoint {
  const { method, path, answer } = definition;
  const route = `${method.toUpperCase()} ${path}`;
  const flag = method === 'get' ? 'for-reads' : `for-${number}`;
  const row = rows[route] ?? {};
  const bodyIn = (place: Place) => inPlace(row.body, place);
  const values: Readonly<Record<string, string>> = {
    projectId: 'shop',
    featureName: flag,
    environment: 'production',
    strategyId: 'one',
    userId: '2',
    roleId: '5',
    // An endpoint that writes has a strategy type, a token and a segment of its own, too.
    strategyName: flag,
    tokenName: flag,
    segmentId: `${segmentIdOf(flag)}`,
    id: `change-${flag}`,
    ...row.values,
  };
  const filled = (template: string, other: Readonly<Record<string, string>> = {}) =>
    template.replace(/:(\w+)/g, (_, name: string) => other[name] ?? values[name] ?? '');
  return {
    ...row,
    route,
    definition,
    method: method.toUpperCase(),
    parameters: [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name),
    answer: row.finds ? ANSWERS[row.finds] : answer,
    isRead: method === 'get',
    flag,
    path: (other) => filled(path, other),
    reads: (row.versions ?? []).map((read) => filled(read)),
    bodyIn,
    body: bodyIn({ project: 'shop', environment: 'production', flag, archived: flag, parent: 'for-reads' }),
  };
}

/** Puts the names of the place into the body. */
function inPlace(body: unknown, place: Place): unknown {
  if (body === undefined) return undefined;
  const names = namesIn(place);
  return JSON.parse(JSON.stringify(body).replace(/"([A-Z]+)"/g, (whole, name: string) => quoted(names[name]) ?? whole));
}

function quoted(name: string | undefined): string | undefined {
  return name === undefined ? undefined : JSON.stringify(name);
}

export const endpoints: readonly Endpoint[] = routes.map(endpointOf);

/** Returns routes without a row, and rows that are no route. */
export function mismatches(): readonly string[] {
  const known = endpoints.map(({ route }) => route);
  return [...known.filter((route) => !rows[route]), ...Object.keys(rows).filter((route) => !known.includes(route))];
}
