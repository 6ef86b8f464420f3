/** The sockets of the admin API: slow requests, and the expectations of clients. */
import { once } from 'node:events';
import { Agent, request as call } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createListener } from '../../../../../src/http/server/socket/listen.ts';
import { errorBody } from '../../../../support/admin-client.ts';
import { collectGarbage } from '../../../../support/collect-garbage.ts';
import { settled } from '../../../../support/fake-clock.ts';
import { sendRaw } from '../../../../support/raw-http.ts';

const listener = createListener({
  host: '127.0.0.1',
  port: 0,
  answer: (request, response) => {
    request.resume().once('end', () => response.end('{"arrived":true}'));
  },
  limits: { arriveWithinMs: 200, checkEveryMs: 50 },
});
let url: string;

beforeAll(async () => {
  url = `http://127.0.0.1:${await listener.start()}`;
});
afterAll(() => listener.stop());

const request = (...lines: readonly string[]) =>
  [...lines, 'Host: 127.0.0.1', 'Connection: close', '', ''].join('\r\n');

test.each([
  ['headers that never end', 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '],
  ['a body that is shorter than announced', `${request('POST / HTTP/1.1', 'Content-Length: 9')}{"name":`],
  ['chunks without an end', `${request('POST / HTTP/1.1', 'Transfer-Encoding: chunked')}5\r\n{"nam\r\n`],
])('%s: 408 with the error body, and the connection ends', async (_, bytes) => {
  const { status, body } = await sendRaw(url, bytes);
  expect([status, body?.name]).toEqual([408, 'RequestTimeoutError']);
  expect(errorBody.safeParse(body).success).toBe(true);
});

test('a connection that waits for its next request keeps nothing of the last one', async () => {
  const bodies: WeakRef<object>[] = [];
  const keeping = createListener({
    host: '127.0.0.1',
    port: 0,
    answer: (arrived, response) => {
      const body = {};
      bodies.push(new WeakRef(body));
      Object.assign(arrived, { body });
      arrived.resume().once('end', () => response.end());
    },
  });
  const agent = new Agent({ keepAlive: true });
  const options = { host: '127.0.0.1', port: await keeping.start(), method: 'POST', agent };
  for (const text of ['{}', 'twice']) {
    const [answer] = await once(call(options).end(text), 'response');
    await once(answer.resume(), 'end');
  }
  await settled();
  collectGarbage();
  const sockets = Object.values(agent.freeSockets).flat();
  expect([sockets.length, bodies.map((body) => body.deref())]).toEqual([1, [undefined, undefined]]);
  agent.destroy();
  await keeping.stop();
});

test.each(['100-continue', 'the-impossible'])('Expect: %s is not refused', async (expectation) => {
  const { text } = await sendRaw(url, `${request('POST / HTTP/1.1', `Expect: ${expectation}`, 'Content-Length: 2')}{}`);
  expect(text).toContain('{"arrived":true}');
});
