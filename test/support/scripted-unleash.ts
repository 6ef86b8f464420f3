/** A server that answers as an Unleash of the test's own making, for what a real one cannot be brought to do. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface ScriptedUnleash {
  readonly url: string;
  /** The path of each call so far, below /api/admin. */
  readonly calls: readonly string[];
  /** Answers of paths below /api/admin; other paths are 404. The test may change them. */
  readonly answers: Map<string, unknown>;
  stop(): Promise<void>;
}

export async function startScriptedUnleash(answers: Readonly<Record<string, unknown>>): Promise<ScriptedUnleash> {
  const known = new Map(Object.entries(answers));
  const calls: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').replace('/api/admin', ''));
    calls.push(path);
    const answer = known.get(path) ?? known.get(path.replace(/\?.*$/, ''));
    if (isAnswer(answer)) return answer(request, response);
    response.writeHead(answer === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer ?? { message: 'no such path' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answers: known,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function isAnswer(answer: unknown): answer is Answer {
  return typeof answer === 'function';
}

const share = { name: 'flexibleRollout', parameters: { rollout: '50', groupId: 'a', stickiness: 'default' } };

/** A flag of the project as Unleash answers it, on in both environments. */
export function scriptedFlag(name: string, more: object = {}): object {
  const strategies = [{ id: 'f0e1d2c3-0000-4000-8000-000000000001', sortOrder: 1, constraints: [], ...share }];
  const place = (environment: string) => ({ name: environment, enabled: true, strategies, variants: [] });
  return { name, type: 'release', environments: ['development', 'production'].map(place), dependencies: [], ...more };
}

/** Two environments, one project, and its flags. */
export function scriptedWorld(flags: readonly string[], project = 'shop'): Readonly<Record<string, unknown>> {
  return {
    '/ui-config': { version: '6.0.0' },
    '/environments': {
      environments: ['development', 'production'].map((name, index) => {
        return { name, type: name, sortOrder: index + 1, enabled: true };
      }),
    },
    '/projects': { projects: [{ id: project }] },
    [`/projects/${project}`]: {
      name: 'Shop',
      environments: [{ environment: 'development' }, { environment: 'production' }],
    },
    [`/projects/${project}/features`]: { features: flags.map((name) => ({ name, tags: [] })) },
    ...Object.fromEntries(flags.map((name) => [`/projects/${project}/features/${name}`, scriptedFlag(name)])),
    '/archive/features': { features: [] },
    '/context': [],
    '/api-tokens': { tokens: [] },
    '/user-admin': { users: [], rootRoles: [] },
  };
}
