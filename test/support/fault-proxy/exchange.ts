/** One request on its way through the fault proxy. */
import type { IncomingMessage } from 'node:http';

/** The kind of a request to the API server. `check` is a list of one object, which is requested for its version. */
export type Verb = 'list' | 'watch-list' | 'check' | 'watch' | 'get' | 'create' | 'replace' | 'patch' | 'delete';

export interface SeenRequest {
  readonly verb: Verb;
  /** `featureflags`, `featureflags/status`, … */
  readonly resource: string;
  /** The name of the object. If absent, the request is about a collection. */
  readonly name: string | undefined;
  readonly query: URLSearchParams;
  /** The time in milliseconds of a monotonic clock. */
  readonly at: number;
}

export interface Exchange {
  readonly request: SeenRequest;
  /**
   * Sends the request to the API server, with other query parameters if given. Resolves with the head of the answer.
   */
  ask(query?: Readonly<Record<string, string>>): Promise<IncomingMessage>;
  /** Begins the answer to the client. */
  begin(status: number, headers: NodeJS.Dict<string | string[]>): void;
  /** Resolves when the socket has taken the bytes. */
  send(bytes: string | Uint8Array): Promise<void>;
  end(): void;
  /** Breaks the client's connection. */
  cut(): void;
  /** Reports that the fault has really happened. */
  fired(): void;
  /** Resolves when the test releases what is held back, or when the client has disconnected. */
  readonly released: Promise<void>;
}

const VERBS: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' };

/** Reads the subject of a request from its method and its path. */
export function readRequest(method: string, target: string): SeenRequest {
  const { pathname, searchParams: query } = new URL(target, 'http://proxy');
  const parts = pathname.split('/').filter(Boolean);
  const below = parts.slice(parts[0] === 'api' ? 2 : 3);
  const [resource = '', name, subresource] = below[0] === 'namespaces' && below.length > 2 ? below.slice(2) : below;
  return {
    verb: VERBS[method] ?? readVerb(name, query),
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    name,
    query,
    at: performance.now(),
  };
}

function readVerb(name: string | undefined, query: URLSearchParams): Verb {
  if (name !== undefined) return 'get';
  if (query.has('watch')) return query.has('sendInitialEvents') ? 'watch-list' : 'watch';
  return query.get('limit') === '1' ? 'check' : 'list';
}

/** The headers of a message without those that belong to one connection. */
export function headersOf({ headers }: IncomingMessage): NodeJS.Dict<string | string[]> {
  const { connection: _, 'transfer-encoding': __, 'keep-alive': ___, ...rest } = headers;
  return rest;
}
