/** The endpoints for SDKs: a good call of each, and the callers that may make it. */
import type { ClientRoute } from '../../../src/http/route/client-route.ts';
import { clientRoutes } from '../../../src/http/routes/client/all.ts';

/** The callers: without a token, with a wrong token, or with a token of that type. */
export const callers = ['anonymous', 'wrong', 'bootstrap', 'admin', 'personal', 'frontend', 'client'] as const;
export type CallerName = (typeof callers)[number];

export interface ClientRow {
  /** The callers that are accepted, typed by hand. All others are refused. */
  readonly allowed: readonly CallerName[];
  /** The body of a good call. If absent, the endpoint takes none. */
  readonly body?: unknown;
  /** Unusual values of members of the body that the endpoint accepts. */
  readonly taken?: Readonly<Record<string, readonly string[]>>;
  /** Whether every name in the query is read. A name may appear only once. */
  readonly readsAnyQuery?: true;
  /** Whether the address has a key that stands for the token. */
  readonly hasKey?: true;
  /** Whether any body gets the answer of this body. SDKs stop reporting after one refusal. */
  readonly takesAnyBody?: true;
}

const report = { allowed: ['client'], takesAnyBody: true } as const;
const application = { appName: 'shop', interval: 15_000, started: '2026-01-01T00:00:00Z', strategies: ['default'] };
const context = {
  body: { context: { userId: 'ada' } },
  taken: { context: ['{}', '{"":{"a":[[]]}}'] },
};
const asked = { allowed: ['frontend'], readsAnyQuery: true } as const;
const posted = { allowed: ['frontend'], ...context } as const;
const toggles = { there: { yes: 1, no: 2, variants: { blue: 1 } } };

/** The rows by their routes. */
export const clientRows: Readonly<Record<string, ClientRow>> = {
  'GET /api/client/features': { allowed: ['client'] },
  'GET /api/client/features/:featureName': { allowed: ['client'] },
  'GET /api/client/delta': { allowed: ['client'] },
  'GET /api/client/streaming': { allowed: ['client'] },
  'POST /api/client/register': { ...report, body: application },
  'POST /api/client/metrics': { ...report, body: { appName: 'shop', bucket: { start: 0, stop: 0, toggles } } },
  'POST /api/client/metrics/bulk': { ...report, body: { applications: [application], metrics: [] } },
  'POST /api/client/metrics/edge': { ...report, body: application },
  'POST /edge/validate': { allowed: callers, body: { tokens: ['some'] }, taken: { tokens: ['[]'] } },
  'GET /api/frontend': asked,
  'POST /api/frontend': posted,
  'GET /api/frontend/all': asked,
  'POST /api/frontend/all': posted,
  'GET /api/frontend/features/:featureName': asked,
  'POST /api/frontend/features/:featureName': posted,
  'POST /api/frontend/client/register': { ...report, allowed: ['frontend'], body: application },
  'POST /api/frontend/client/metrics': {
    ...report,
    allowed: ['frontend'],
    body: { appName: 'shop', bucket: { start: 0, stop: 0, toggles } },
  },
  'POST /ofrep/v1/evaluate/flags/:key': { ...context, allowed: ['client', 'frontend'] },
  'POST /ofrep/v1/evaluate/flags': { ...context, allowed: ['client', 'frontend'] },
  'GET /ofrep/v1/streams': { allowed: callers, hasKey: true },
};

export interface ClientEndpoint extends ClientRow {
  /** The route as in the list of routes. */
  readonly route: string;
  readonly definition: ClientRoute;
  /** The request for `adminClient`, with this segment for each parameter. The key comes before the query. */
  readonly request: (segment?: string, query?: string, key?: string) => string;
}

/** The flag that good calls are about. */
export const THERE = 'there';

export const clientEndpoints: readonly ClientEndpoint[] = clientRoutes.map((definition) => {
  const { method, path, streams } = definition;
  const route = `${method.toUpperCase()} ${path}`;
  // The answer to GET does not end.
  const verb = streams ? 'HEAD' : method.toUpperCase();
  const request = (segment = THERE, query = '', key = '') => {
    const asked = [key && `key=${key}`, query].filter((one) => one !== '').join('&');
    return `${verb} /${path.replace(/:\w+/g, () => segment)}${asked && `?${asked}`}`;
  };
  return { ...(clientRows[route] ?? { allowed: [] }), route, definition, request };
});

/** Returns routes without a row, and rows without a route. */
export function clientMismatches(): readonly string[] {
  const routes = clientEndpoints.map(({ route }) => route);
  return [
    ...routes.filter((route) => !clientRows[route]),
    ...Object.keys(clientRows).filter((one) => !routes.includes(one)),
  ];
}
