/** A server in the place of an upstream of the edge, for answers that no real one gives on request. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedReport {
  readonly applications: readonly { readonly appName: string; readonly connectVia: readonly object[] }[];
  readonly metrics: readonly { readonly featureName: string; readonly yes: number; readonly no: number }[];
}

export interface ScriptedUpstream {
  readonly url: string;
  /**
   * The tokens that it knows: client tokens, and frontend tokens whose values say so. As Unleash up to 6, it does not
   * say their environments.
   */
  readonly tokens: Set<string>;
  /** The reports that it has received. */
  readonly reports: ReceivedReport[];
  /** The number of requests for flags so far. */
  readonly asked: () => number;
  /** The tokens of these requests. */
  readonly askedBy: () => readonly (string | undefined)[];
  /** Answers requests for flags from now on. */
  answer(handle: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Answers requests for a stream from now on; before, it has none. */
  stream(handle: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Answers with flags of these names that are on for everyone, from now on. */
  serve(...names: readonly string[]): void;
  /** Answers reports with this status; undefined: it hangs up after it has received them. */
  answerReports(status: number | undefined): void;
  /** Receives reports and answers them only when the returned function is called. */
  holdReports(): () => void;
  /** Ends, connections included; starts again at the same port. */
  readonly stop: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

export function documentOf(...names: readonly string[]) {
  return { version: 2, features: names.map((name) => ({ name, enabled: true, strategies: [{ name: 'default' }] })) };
}

export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  const tokens = new Set<string>();
  const reports: ReceivedReport[] = [];
  const askedBy: (string | undefined)[] = [];
  let reportStatus: number | undefined = 202;
  let answering: Promise<void> | undefined;
  let stream = (_request: IncomingMessage, response: ServerResponse): void => void response.writeHead(404).end();
  let answer = (_request: IncomingMessage, response: ServerResponse): void => void response.writeHead(503).end();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (request.url === '/edge/validate') {
      const known = (JSON.parse(body) as { tokens: string[] }).tokens.filter((token) => tokens.has(token));
      const valid = known.map((token) => ({
        token,
        type: token.includes('.frontend-') ? 'frontend' : 'client',
        projects: token.split(':')[0]?.split('+'),
      }));
      response.end(JSON.stringify({ tokens: valid }));
    } else if (request.url === '/api/client/metrics/bulk') {
      reports.push(JSON.parse(body) as ReceivedReport);
      await answering;
      if (reportStatus === undefined) request.socket.destroy();
      else response.writeHead(reportStatus).end();
    } else if (request.url === '/api/client/features') {
      askedBy.push(request.headers.authorization);
      answer(request, response);
    } else void stream(request, response);
  };
  const listen = async (port: number) => {
    const server = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
    return server;
  };
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ tokens, reports, stop },
    asked: () => askedBy.length,
    askedBy: () => askedBy,
    answer(handler) {
      answer = handler;
    },
    stream(handle) {
      stream = handle;
    },
    serve(...names) {
      answer = (_request, response) => void response.end(JSON.stringify(documentOf(...names)));
    },
    answerReports(status) {
      reportStatus = status;
    },
    holdReports() {
      const { promise, resolve } = Promise.withResolvers<void>();
      answering = promise;
      return resolve;
    },
    async restart() {
      server = await listen(port);
    },
  };
}
