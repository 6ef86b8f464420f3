import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { anAdmin } from '../../../../src/access/caller.ts';
import type { Route } from '../../../../src/http/route/route.ts';
import { type ServeParts, serveRoute } from '../../../../src/http/route/serve-route.ts';
import { createBaseApp } from '../../../../src/http/server/base-app.ts';
import { contextOf } from '../../../../src/http/server/request-context.ts';
import { createLogger } from '../../../../src/telemetry/logger.ts';
import { captureLog } from '../../../support/capture-log.ts';
import { waitUntil } from '../../../support/control-plane/wait-until.ts';

let stop = (): void => undefined;
afterEach(() => stop());

/** Serves an endpoint that ends when its signal aborts. */
async function serveWaiting() {
  const seen = { signals: [] as AbortSignal[], statuses: [] as number[], failures: [] as Record<string, unknown>[] };
  const route = {
    method: 'get',
    path: '/',
    requires: { of: () => ({}) },
    handle: async (_services: unknown, { signal }: { readonly signal: AbortSignal }) => {
      seen.signals.push(signal);
      await once(signal, 'abort');
      signal.throwIfAborted();
    },
  };
  const parts = { known: {}, servicesFor: () => ({}) } as unknown as ServeParts;
  const deadline = { begin: () => Promise.reject(), allowForUpload: () => undefined };
  const caller = anAdmin({ name: 'ada', via: 'anonymous' });
  const app = createBaseApp({
    localOnly: false,
    errorFor: (thrown) => thrown,
    trustedProxies: 0,
    logger: createLogger({ level: 'warn', destination: captureLog(seen.failures) }),
    observe: ({ status }) => void seen.statuses.push(status),
    mount(base) {
      base.use((request, _response, next) => {
        Object.assign(contextOf(request), { deadline, caller });
        next();
      });
      base.get('/', serveRoute(route as unknown as Route, parts));
    },
  });
  const server = app.listen(0, '127.0.0.1');
  stop = () => {
    server.close();
    server.closeAllConnections();
  };
  await once(server, 'listening');
  return { seen, port: (server.address() as AddressInfo).port };
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

function send(port: number, text: string): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(text);
  return socket;
}

test('the signal of an endpoint aborts when its caller has disconnected, and its error is no failure', async () => {
  const { seen, port } = await serveWaiting();
  const socket = send(port, GET);
  await waitUntil({ what: 'the endpoint runs' }, () => seen.signals.length > 0);
  expect(seen.signals[0]?.aborted).toBe(false);
  socket.destroy();
  await waitUntil({ what: 'it is notified' }, () => seen.signals[0]?.aborted === true);
  // An error is handled before the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toMatchObject({ failures: [], statuses: [499] });
});

test('a request that waits behind another one of its connection does no work', async () => {
  const { seen, port } = await serveWaiting();
  send(port, GET.repeat(5));
  await waitUntil({ what: 'the first one runs' }, () => seen.signals.length > 0);
  send(port, GET);
  await waitUntil({ what: 'a later one of another connection runs' }, () => seen.signals.length > 1);
  expect(seen.signals).toHaveLength(2);
});
