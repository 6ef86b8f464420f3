/** A list of any length on its way to a caller who reads slowly, does not read, or disconnects. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express, { type Response } from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { linesOf, sendStreamedBody } from '../../../../../src/http/server/answer/send-pieces.ts';
import { waitUntil } from '../../../../support/control-plane/wait-until.ts';

const LINE = { text: 'x'.repeat(1000) };

/** The progress of one answer. */
interface Watched {
  taken: number;
  released: boolean;
  outcome: 'sent' | Error | undefined;
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Serves that many lines, and then an error if one is given. */
async function serve(
  count: number,
  {
    error,
    stalledMs,
    before,
  }: { error?: Error; stalledMs?: number; before?: (response: Response) => Promise<unknown> } = {},
) {
  const watched: Watched = { taken: 0, released: false, outcome: undefined };
  async function* items(signal: AbortSignal) {
    try {
      while (watched.taken < count) {
        signal.throwIfAborted();
        watched.taken += 1;
        yield LINE;
        // The items do not come all at once, as from a database.
        if (watched.taken % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      if (error) throw error;
    } finally {
      watched.released = true;
    }
  }
  const app = express();
  app.get('/', async (request, response) => {
    try {
      await before?.(response);
      await sendStreamedBody(request, response, linesOf(items, stalledMs === undefined ? {} : { stalledMs }));
      watched.outcome = 'sent';
    } catch (thrown) {
      watched.outcome = thrown as Error;
      if (response.headersSent) response.destroy();
      else response.status(503).end();
    }
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { watched, port, url: `http://127.0.0.1:${port}/` };
}

/** Sends a request, and reads nothing of the answer. */
function ask(port: number): Socket {
  const socket = connect({ host: '127.0.0.1', port });
  socket.pause();
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  ends.push(() => socket.destroy());
  return socket;
}

/** Resolves with the number of taken items when no more are taken. */
async function untilTheyRest(watched: Watched): Promise<number> {
  let before = -1;
  return waitUntil({ what: 'no more lines are taken', everyMs: 100 }, async () => {
    const rests = watched.taken > 0 && watched.taken === before;
    before = watched.taken;
    return rests && watched.taken;
  });
}

describe('all lines arrive', () => {
  test.each([0, 1, 5000])('%i of them, each ended by a line break', async (count) => {
    const { watched, url } = await serve(count);
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    expect(await answer.text()).toBe(`${JSON.stringify(LINE)}\n`.repeat(count));
    expect(watched).toEqual({ taken: count, released: true, outcome: 'sent' });
  });

  test('HEAD has the headers, no body, and leaves the rest unread', async () => {
    const { watched, url } = await serve(5000);
    const answer = await fetch(url, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'application/x-ndjson',
      '',
    ]);
    expect(watched).toEqual({ taken: 1, released: true, outcome: 'sent' });
  });
});

describe('a caller', () => {
  const FOR_EVER = Number.POSITIVE_INFINITY;

  test('sending waits for a slow caller, and the buffer is bounded', async () => {
    const { watched, port } = await serve(FOR_EVER);
    ask(port);
    // The buffers of the system between the two ends hold some MB.
    expect(await untilTheyRest(watched)).toBeLessThan(20_000);
    expect(watched.outcome).toBeUndefined();
  });

  test('a caller who reads nothing for too long is disconnected; one who reads in time is not', async () => {
    const { watched, port } = await serve(FOR_EVER, { stalledMs: 2_000 });
    const reading = ask(port).resume();
    const stalled = await serve(FOR_EVER, { stalledMs: 2_000 });
    ask(stalled.port);
    await waitUntil({ what: 'the reading has ended' }, async () => stalled.watched.released);
    expect(watched.outcome).toBeUndefined();
    reading.destroy();
  });

  test('a caller who disconnects while waiting, or while reading, ends the reading without an error', async () => {
    for (const reads of [false, true]) {
      const { watched, port } = await serve(FOR_EVER);
      const socket = ask(port);
      if (reads) socket.resume();
      else await untilTheyRest(watched);
      await waitUntil({ what: 'it is under way' }, async () => watched.taken > 100);
      socket.destroy();
      await waitUntil({ what: 'the reading has ended' }, async () => watched.released);
      expect(watched.outcome).toBe('sent');
    }
  });
});

test('nothing is read for a caller who has disconnected before', async () => {
  const { watched, port } = await serve(5000, { before: (response) => once(response, 'close') });
  ask(port).once('connect', function end(this: Socket) {
    this.end(() => this.destroy());
  });
  await waitUntil({ what: 'the sending has ended' }, async () => watched.outcome !== undefined);
  expect(watched).toEqual({ taken: 0, released: false, outcome: 'sent' });
});

describe('a read error', () => {
  test('before the first line has an ordinary error answer', async () => {
    const { watched, url } = await serve(0, { error: new Error('gone') });
    expect((await fetch(url)).status).toBe(503);
    expect(watched).toMatchObject({ released: true, outcome: { message: 'gone' } });
  });

  test('after it breaks the connection, so that the answer does not look complete', async () => {
    const { watched, url } = await serve(500, { error: new Error('gone') });
    const answer = await fetch(url);
    await expect(answer.text()).rejects.toThrow('terminated');
    expect(watched).toMatchObject({ released: true, outcome: { message: 'gone' } });
  });
});
