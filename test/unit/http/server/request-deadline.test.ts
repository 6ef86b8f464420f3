/** When a request may not begin another write: the age of the request decides, whatever the state of its connection. */
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  BEGIN_UPLOAD_WITHIN_MS,
  BEGIN_WITHIN_MS,
  startDeadline,
} from '../../../../src/http/server/request-deadline.ts';
import { followArrivals } from '../../../../src/http/server/socket/arrivals.ts';
import { countCallerWrites } from '../../../../src/runtime/caller-writes.ts';

/** Returns a request whose caller waits. The test has its connection and its clock. */
async function arrived() {
  let at = 0;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const received = new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
  const caller: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    caller.destroy();
    server.close();
  });
  caller.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
  const request = await received;
  const deadline = startDeadline(request, { now: () => at, earliest: () => at }, countCallerWrites());
  return {
    deadline,
    caller,
    request,
    pass: (ms: number) => {
      at += ms;
    },
  };
}

const write = vi.fn(async (beforeSend: () => Promise<void>) => {
  await beforeSend();
  return 'written';
});

test('writes begin within ten seconds, and no later', async () => {
  const { deadline, pass } = await arrived();
  pass(BEGIN_WITHIN_MS);
  expect(await deadline.begin(async () => 'nothing to do')).toBe('nothing to do');
  expect(await deadline.begin(write)).toBe('written');
  pass(BEGIN_WITHIN_MS + 1);
  await expect(deadline.begin(write)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  expect(BEGIN_WITHIN_MS).toBe(10_000);
});

test('a write itself takes at most as long', async () => {
  const { deadline } = await arrived();
  expect(await deadline.begin(async ({ timeoutMs }) => timeoutMs)).toBe(BEGIN_WITHIN_MS);
});

test('the time counts from the complete arrival of the body', async () => {
  const { deadline, request, pass } = await arrived();
  pass(BEGIN_WITHIN_MS + 1);
  const whole = new Promise((resolve) => request.once('end', resolve));
  request.resume();
  await whole;
  expect(await deadline.begin(write)).toBe('written');
});

test('an acknowledged write gives the next one its time, from when it was sent', async () => {
  const { deadline, pass } = await arrived();
  for (let count = 0; count < 3; count += 1) {
    pass(BEGIN_WITHIN_MS);
    expect(await deadline.begin(write)).toBe('written');
  }
  const pausedBeforeItsAnswer = deadline.begin(async (beforeSend) => {
    await beforeSend();
    pass(BEGIN_WITHIN_MS + 1);
  });
  await pausedBeforeItsAnswer;
  await expect(deadline.begin(write)).rejects.toMatchObject({ code: 'unavailable' });
});

test('an upload has a minute before its first write', async () => {
  const { deadline, pass } = await arrived();
  deadline.allowForUpload();
  pass(BEGIN_UPLOAD_WITHIN_MS);
  expect(await deadline.begin(write)).toBe('written');
  pass(BEGIN_WITHIN_MS + 1);
  await expect(deadline.begin(write)).rejects.toMatchObject({ code: 'unavailable' });
  expect(BEGIN_UPLOAD_WITHIN_MS).toBe(60_000);
});

test('no write begins for a caller that has disconnected, also if the end of the connection is not read yet', async () => {
  const { deadline, caller } = await arrived();
  await new Promise<void>((resolve) => caller.end(resolve));
  await expect(deadline.begin(write)).rejects.toMatchObject({ message: expect.stringContaining('disconnected') });
});

test('data that is read right after a pause may have arrived when the pause began', () => {
  let at = 0;
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const { earliest } = followArrivals(() => at, end.signal);
  at = 600;
  expect(earliest()).toBe(600);
  at = 20_000;
  expect(earliest()).toBe(600);
  at = 21_000;
  expect(earliest()).toBe(600);
  at = 21_001;
  expect(earliest()).toBe(21_001);
});
