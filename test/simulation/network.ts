/** The way between a replica and the API server: every message takes time, and may get lost. */
import { ClusterError } from '../../src/errors.ts';
import { failedConnection, refusedCall } from '../../src/kube/api/errors.ts';
import type { Call, StreamCall, Transport } from '../../src/kube/api/transport.ts';
import { statusOf } from './cluster/answers.ts';
import type { ApiServer, Frame } from './cluster/api-server.ts';
import type { Faults } from './faults.ts';
import { type Actor, pauseUntil, type Schedule } from './schedule.ts';

export interface NetworkParts {
  readonly schedule: Schedule;
  readonly server: ApiServer;
  readonly actor: Actor;
  readonly faults: Faults;
  /** The most objects in a page of a list: the API server may send fewer than asked for. */
  readonly pageSize: number;
  /** Called with each request that leaves the process. */
  readonly onSend: (call: Call) => void;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const BOOKMARK_MS = 60_000;

/** The streams that are open at this end. */
export interface Network extends Transport {
  readonly openStreams: number;
  /** Breaks all streams. */
  breakStreams(): void;
  /** Pauses the process for this time as soon as it waits to send a write that needs its term. */
  pauseAtNextWrite(ms: number): void;
  /** Closes the streams at the API server only, as the system does for a process that was killed. */
  abandon(): void;
}

interface OpenStream {
  fail(): void;
  close(): void;
}

export function createNetwork(parts: NetworkParts): Network {
  const streams = new Set<OpenStream>();
  let pauseMs = 0;
  return {
    request(call) {
      const answer = request(parts, call);
      if (call.beforeSend === undefined) return answer;
      pauseUntil(parts.actor, parts.schedule.now() + pauseMs);
      pauseMs = 0;
      return answer;
    },
    async stream(call) {
      const { schedule, actor, faults } = parts;
      await settled<void>(parts, call, (resolve, reject) => {
        schedule.after(faults.delayMs(), actor, () => {
          if (faults.isCutOff(actor)) reject(broken(call, 'ECONNREFUSED'));
          else resolve();
        });
      });
      return openFrames(parts, call, (stream) => {
        streams.add(stream);
        return () => void streams.delete(stream);
      });
    },
    close: () => undefined,
    get openStreams() {
      return streams.size;
    },
    breakStreams: () => {
      for (const { fail } of [...streams]) fail();
    },
    pauseAtNextWrite(ms) {
      pauseMs = ms;
    },
    abandon: () => {
      for (const { close } of [...streams]) close();
    },
  };
}

function broken({ path }: { readonly path: string }, code: string): unknown {
  return failedConnection(path, Object.assign(new Error(code), { code }));
}

/** A promise that also ends with the signal of the call, and after its time. */
function settled<T>(
  { schedule, actor }: NetworkParts,
  { signal, path, timeoutMs = DEFAULT_TIMEOUT_MS }: Pick<Call, 'signal' | 'path' | 'timeoutMs'>,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => fail(signal?.reason);
    const release = () => {
      cancel();
      signal?.removeEventListener('abort', abort);
    };
    const fail = (error: unknown) => {
      release();
      reject(error as Error);
    };
    const cancel = schedule.after(timeoutMs, actor, () =>
      fail(new ClusterError('unavailable', `The API server did not answer in ${timeoutMs} ms (${path})`)),
    );
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    start((value) => {
      release();
      resolve(value);
    }, fail);
  });
}

function request(parts: NetworkParts, call: Call): Promise<unknown> {
  const { schedule, server, actor, faults, onSend } = parts;
  const timeoutMs = Math.min(call.timeoutMs ?? DEFAULT_TIMEOUT_MS, call.beforeSend?.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  return settled<unknown>(parts, { ...call, timeoutMs }, (resolve, reject) => {
    const arrive = () => {
      if (faults.losesRequest()) return faults.hangs() || fail('ECONNRESET');
      const { status, body } = refusalOf(faults) ?? server.answer(inPages(parts, call));
      schedule.after(faults.delayMs(), actor, () => {
        if (faults.isCutOff(actor) || faults.losesAnswer()) return faults.hangs() || fail('ECONNRESET');
        if (status < 300) return resolve(body);
        return reject(refusedCall({ action: `${call.method} ${call.path}`, status, body }));
      });
    };
    const fail = (code: string) => reject(broken(call, code));
    const send = () => {
      if (call.signal?.aborted) return;
      onSend(call);
      // What was sent arrives, even if its sender is killed meanwhile.
      schedule.after(faults.delayMs(), faults.world, arrive);
    };
    // The wait for a connection.
    schedule.after(faults.delayMs(), actor, () => {
      if (faults.isCutOff(actor)) return fail('ECONNREFUSED');
      if (call.beforeSend === undefined) return send();
      return void call.beforeSend().then(send, reject);
    });
  });
}

function inPages({ pageSize }: NetworkParts, call: Call): Call {
  const limit = call.query?.['limit'];
  return limit === undefined ? call : { ...call, query: { ...call.query, limit: Math.min(Number(limit), pageSize) } };
}

function refusalOf(faults: Faults): { readonly status: number; readonly body: unknown } | undefined {
  const status = faults.refuses();
  if (status === undefined) return undefined;
  const busy = { status, reason: 'TooManyRequests', message: 'too many requests' };
  const failed = { status, reason: 'InternalError', message: 'an error on the server' };
  const body = statusOf(status === 429 ? busy : failed);
  return { status, body: { ...body, ...(status === 429 && { details: { retryAfterSeconds: 2 } }) } };
}

interface Delivered {
  readonly frame?: Frame;
  readonly error?: unknown;
}

function openFrames(
  { schedule, server, actor, faults }: NetworkParts,
  call: StreamCall,
  register: (stream: OpenStream) => () => void,
): AsyncGenerator<unknown> {
  const arrived: Delivered[] = [];
  let wake: (() => void) | undefined;
  let lastAt = 0;
  const deliver = (delivered: Delivered): void => {
    arrived.push(delivered);
    wake?.();
  };
  /** Frames never overtake each other. */
  const later = (delivered: Delivered): void => {
    lastAt = Math.max(lastAt, schedule.now() + faults.delayMs());
    const inMs = lastAt - schedule.now();
    lastAt += 0.001;
    schedule.after(inMs, actor, () => deliver(delivered));
  };
  const watch = server.watch(
    call,
    (frame) => later({ frame }),
    () => later({}),
  );
  const fail = () => deliver({ error: broken(call, 'ECONNRESET') });
  const abort = () => deliver({ error: call.signal?.reason });
  const cancels = [
    schedule.after(Number(call.query?.['timeoutSeconds'] ?? 300) * 1000, faults.world, () => later({})),
    everyMinute(schedule, faults, () => watch.bookmark()),
  ];
  call.signal?.addEventListener('abort', abort, { once: true });

  const unregister = register({ fail, close });
  function close(): void {
    watch.close();
    unregister();
    for (const cancel of cancels) cancel();
    call.signal?.removeEventListener('abort', abort);
  }

  const next = async (): Promise<Delivered> => {
    for (;;) {
      const delivered = arrived.shift();
      if (delivered !== undefined) return delivered;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return readUntilEnd(next, close);
}

async function* readUntilEnd(next: () => Promise<Delivered>, close: () => void): AsyncGenerator<unknown> {
  try {
    for (let one = await next(); 'error' in one || one.frame !== undefined; one = await next()) {
      if ('error' in one) throw one.error;
      yield one.frame;
    }
  } finally {
    close();
  }
}

function everyMinute(schedule: Schedule, faults: Faults, act: () => void): () => void {
  let cancel = schedule.after(BOOKMARK_MS, faults.world, tick);
  function tick(): void {
    act();
    cancel = schedule.after(BOOKMARK_MS, faults.world, tick);
  }
  return () => cancel();
}
