/** The head of an event stream. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
import { afterEach, expect, test } from 'vitest';
import type { StreamConnection } from '../../../../../src/delivery/open-stream.ts';
import { EventStream, sendEventStream } from '../../../../../src/http/server/answer/event-stream.ts';
import { openContext } from '../../../../../src/http/server/request-context.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Serves a stream that does this when it starts; an error is answered in JSON. */
async function answerOf(start: (connection: StreamConnection) => void) {
  const app = express();
  app.get('/', async (request, response) => {
    openContext(request, { requestId: 'one' });
    const ignored = { drained: () => undefined, stalled: () => undefined, closed: () => undefined };
    const open = (connection: StreamConnection) => ({ ...ignored, start: () => start(connection) });
    await sendEventStream(request, response, new EventStream(open, 1000));
  });
  app.use((_: unknown, __: Request, response: Response, ___: NextFunction) => {
    response.status(500).json({ name: 'InternalError' });
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return [answer.status, answer.headers.get('content-type'), await answer.text()];
}

test('an event is sent as an event stream', async () => {
  const answer = await answerOf((connection) => {
    connection.write([Buffer.from('data: 1\n\n')]);
    connection.end();
  });
  expect(answer).toEqual([200, 'text/event-stream; charset=utf-8', 'data: 1\n\n']);
});

test('an error before the first event is answered as JSON', async () => {
  const answer = await answerOf(() => {
    throw new Error('the first event');
  });
  expect(answer).toEqual([500, 'application/json; charset=utf-8', '{"name":"InternalError"}']);
});

test('a caller who has gone before the stream opens gets none', async () => {
  const app = express();
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const caller = new AbortController();
  let opened = 0;
  app.get('/', async (request, response) => {
    openContext(request, { requestId: 'one' });
    const closed = once(response, 'close');
    caller.abort();
    await closed;
    const ignored = { drained: () => undefined, stalled: () => undefined, closed: () => undefined };
    const open = () => {
      opened += 1;
      return { ...ignored, start: () => undefined };
    };
    await sendEventStream(request, response, new EventStream(open, 1000));
    resolve();
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await expect(fetch(url, { signal: caller.signal })).rejects.toThrow();
  await answered;
  expect(opened).toBe(0);
});
