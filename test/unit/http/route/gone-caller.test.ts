import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { afterEach, expect, test } from 'vitest';
import { anAdmin } from '../../../../src/access/caller.ts';
import type { Route } from '../../../../src/http/route/route.ts';
import { type ServeParts, serveRoute } from '../../../../src/http/route/serve-route.ts';
import { openContext } from '../../../../src/http/server/request-context.ts';
import { waitUntil } from '../../../support/control-plane/wait-until.ts';

let stop = (): void => undefined;
afterEach(() => stop());

/** Serves an endpoint that ends when its signal aborts. Returns the signal and the number of failures. */
async function serveWaiting() {
  const seen = { signal: undefined as AbortSignal | undefined, failures: 0 };
  const route = {
    method: 'get',
    path: '/',
    requires: { of: () => ({}) },
    handle: async (_services: unknown, { signal }: { readonly signal: AbortSignal }) => {
      seen.signal = signal;
      await once(signal, 'abort');
      signal.throwIfAborted();
    },
  };
  const parts = { known: {}, servicesFor: () => ({}) } as unknown as ServeParts;
  const deadline = { begin: () => Promise.reject(), allowForUpload: () => undefined };
  const caller = anAdmin({ name: 'ada', via: 'anonymous' });
  const app = express();
  app.use((request, _response, next) => {
    openContext(request, { requestId: 'one', deadline, caller });
    next();
  });
  app.get('/', serveRoute(route as unknown as Route, parts));
  app.use((_error: unknown, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
    seen.failures += 1;
    response.end();
  });
  const server = app.listen(0, '127.0.0.1');
  stop = () => {
    server.close();
    server.closeAllConnections();
  };
  await once(server, 'listening');
  return { seen, port: (server.address() as AddressInfo).port };
}

test('the signal of an endpoint aborts when its caller has disconnected, and its error is no failure', async () => {
  const { seen, port } = await serveWaiting();
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitUntil({ what: 'the endpoint runs' }, () => seen.signal !== undefined);
  expect(seen.signal?.aborted).toBe(false);
  socket.destroy();
  await waitUntil({ what: 'it is notified' }, () => seen.signal?.aborted === true);
  // An error is handled before the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen.failures).toBe(0);
});
