/** A proxy between a client and the real API server that produces the faults of networks. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { freePorts } from '../control-plane/ports.ts';
import { type Exchange, headersOf, readRequest, type SeenRequest } from './exchange.ts';
import { type Fault, nothing, refused } from './faults.ts';

export interface Rule {
  readonly fault: Fault;
  readonly match: (request: SeenRequest) => boolean;
  /** The number of requests that meet the fault. If absent, all requests meet it until the rule is withdrawn. */
  readonly times?: number;
}

export interface FaultProxy {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  /** Every request that arrived at the proxy, in order. */
  readonly arrived: readonly SeenRequest[];
  /** The requests that were forwarded to the API server. */
  readonly reached: readonly SeenRequest[];
  /** The names of the faults that really happened, in order. */
  readonly fired: readonly string[];
  /**
   * Adds a rule from now on. If several rules match a request, the first one is used. Returns the function that
   * withdraws the rule.
   */
  inject(rule: Rule): () => void;
  /** The names of the faults that were to happen some times, and that no request has met. */
  unmet(): readonly string[];
  /** Releases what is held back. */
  release(): void;
  /** Breaks every connection of clients. */
  drop(): void;
  /** Connections are refused from now on. */
  close(): Promise<void>;
  /** Listens again, on the same port. */
  open(): Promise<void>;
  /** Forgets what has happened, and withdraws every rule. */
  forget(): void;
  stop(): Promise<void>;
}

export interface FaultProxyParts {
  /** `https://…` of the real API server. */
  readonly server: string;
  /** The PEM of the certificates that verify it. */
  readonly authority: string;
}

interface Record {
  readonly arrived: SeenRequest[];
  readonly reached: SeenRequest[];
  readonly fired: string[];
}

/** Resolves when the proxy listens. It keeps its port for its lifetime. */
export async function startFaultProxy(parts: FaultProxyParts): Promise<FaultProxy> {
  const record: Record = { arrived: [], reached: [], fired: [] };
  // A handshake costs more than most requests. A restarted API server has closed the connections of the previous one.
  const agent = new Agent({ keepAlive: true, ca: parts.authority });
  const script = createScript();
  const releaseGate = createGate();
  const serve: RequestListener = (incoming, outgoing) => {
    const request = readRequest(incoming.method ?? '', incoming.url ?? '');
    record.arrived.push(request);
    const fault = script.faultFor(request);
    const call = { ...parts, agent, record, incoming, outgoing, request, fault, released: releaseGate.wait(outgoing) };
    // The API server is down, or the client has disconnected: no answer can be sent.
    fault.play(exchangeOf(call)).catch(() => outgoing.destroy());
  };
  const server = createServer(serve);
  const [port = 0] = await freePorts(1);
  const open = () => listen(server, port);
  await open();
  return {
    ...record,
    url: `http://127.0.0.1:${port}`,
    inject: script.add,
    unmet: script.unmet,
    release: releaseGate.open,
    drop: () => server.closeAllConnections(),
    open,
    forget() {
      for (const list of Object.values(record)) list.length = 0;
      script.clear();
    },
    close() {
      record.fired.push(refused.name);
      return stopListening(server);
    },
    async stop() {
      releaseGate.open();
      if (server.listening) await stopListening(server);
      agent.destroy();
    },
  };
}

function createScript() {
  const rules = new Set<{ readonly rule: Rule; met: number }>();
  return {
    add(rule: Rule): () => void {
      const entry = { rule, met: 0 };
      rules.add(entry);
      return () => void rules.delete(entry);
    },
    clear: () => rules.clear(),
    unmet: () => [...rules].filter(({ rule, met }) => rule.times && met === 0).map(({ rule }) => rule.fault.name),
    faultFor(request: SeenRequest): Fault {
      const found = rules
        .values()
        .find(({ rule, met }) => met < (rule.times ?? Number.POSITIVE_INFINITY) && rule.match(request));
      if (found === undefined) return nothing;
      found.met += 1;
      return found.rule.fault;
    },
  };
}

/** A gate at which exchanges wait until the test opens it. It closes again after them. */
function createGate() {
  const waiting = new Set<() => void>();
  return {
    wait: (outgoing: ServerResponse) =>
      new Promise<void>((resolve) => {
        const leave = () => {
          waiting.delete(leave);
          resolve();
        };
        waiting.add(leave);
        outgoing.once('close', leave);
      }),
    open: () => {
      for (const leave of [...waiting]) leave();
    },
  };
}

interface Call extends FaultProxyParts {
  readonly agent: Agent;
  readonly record: Record;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly request: SeenRequest;
  readonly fault: Fault;
  readonly released: Promise<void>;
}

function exchangeOf(call: Call): Exchange {
  const { record, outgoing, request, fault, released } = call;
  return {
    request,
    released,
    ask: (query = {}) => ask(call, query),
    begin(status, headers) {
      outgoing.writeHead(status, headers);
      outgoing.flushHeaders();
    },
    send: (bytes) =>
      new Promise((resolve, reject) => {
        outgoing.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    end: () => void outgoing.end(),
    cut: () => void outgoing.destroy(),
    fired: () => void record.fired.push(fault.name),
  };
}

async function ask(call: Call, query: Readonly<{ [name: string]: string }>): Promise<IncomingMessage> {
  const { server, agent, record, incoming, outgoing, request } = call;
  const url = new URL(incoming.url ?? '', server);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const body = await buffer(incoming);
  if (outgoing.destroyed) throw new Error('the client has left');
  record.reached.push({ ...request, at: performance.now() });
  return new Promise((resolve, reject) => {
    const { host: _, ...headers } = headersOf(incoming);
    const upstream = httpsRequest(url, { method: incoming.method, headers, agent }, (answer) => {
      answer.once('error', () => outgoing.destroy());
      resolve(answer);
    });
    upstream.once('error', (error) => {
      outgoing.destroy();
      reject(error);
    });
    outgoing.once('close', () => upstream.destroy());
    upstream.end(body);
  });
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
