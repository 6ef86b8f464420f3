/** The watch over hours of a fake clock: its shipped limits for silence. */
import { expect, onTestFinished, test } from 'vitest';
import { ClusterError } from '../../../../src/errors.ts';
import type { StreamCall, Transport } from '../../../../src/kube/api/transport.ts';
import { runWatch, type WatchNotice, type WatchParts } from '../../../../src/kube/cache/watch.ts';
import { type FakeClock, fakeClock } from '../../../support/fake-clock.ts';
import { PROBE } from '../../../support/probe.ts';

const BOOKMARK_AFTER_MS = 60_000;

/** Frames at this interval as long as the stream is open. Without an interval, the stream is silent. */
async function* frames(clock: FakeClock, { signal }: StreamCall, everyMs: number | undefined): AsyncGenerator<unknown> {
  for (let version = 11; !signal?.aborted; version += 1) {
    await new Promise<void>((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true });
      if (everyMs !== undefined) clock.after(everyMs, resolve);
    });
    signal?.throwIfAborted();
    yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version) } } };
  }
}

const nothing = () => undefined;

function partsOf(clock: FakeClock, signal: AbortSignal): Omit<WatchParts, 'transport'> {
  const sink = { begin: nothing, listed: nothing, unlisted: nothing, swap: nothing };
  return {
    kind: PROBE,
    namespace: 'any',
    sink: { ...sink, applied: nothing, deleted: nothing, progressed: nothing },
    backoff: () => 0,
    clock,
    random: () => 0,
    signal,
    from: '10',
  };
}

/** A watch that is resumed at version 10 in a cluster without newer objects. */
function watchOver(clock: FakeClock, everyMs?: number): WatchNotice[] {
  const end = new AbortController();
  const notices: WatchNotice[] = [];
  const transport: Transport = {
    request: async () => ({ metadata: { resourceVersion: '10' }, items: [] }),
    stream: async (call) => frames(clock, call, everyMs),
    close: nothing,
  };
  const observe = (notice: WatchNotice) => notices.push(notice);
  const running = runWatch({ ...partsOf(clock, end.signal), transport, observe });
  onTestFinished(async () => {
    end.abort(new Error('The test is over'));
    await running;
  });
  return notices;
}

const recorded = (notices: readonly WatchNotice[]) =>
  notices.map((notice) => (notice.type === 'requested' ? notice.phase : notice.type));

test('a connection that has sent nothing for 90 seconds is closed, and checked before the next', async () => {
  const clock = fakeClock();
  const notices = watchOver(clock);
  await clock.advance(89_999);
  expect(recorded(notices)).toEqual(['checking', 'watching', 'opened']);
  await clock.advance(1);
  expect(recorded(notices).slice(3)).toEqual(['silent', 'checking', 'watching', 'opened']);
});

test('a connection that never sends anything costs two requests every 90 seconds', async () => {
  const clock = fakeClock();
  const notices = watchOver(clock);
  await clock.advance(3_600_000);
  expect(recorded(notices).filter((one) => one === 'watching' || one === 'checking')).toHaveLength(
    2 * (1 + 3_600 / 90),
  );
});

test('a bookmark a minute keeps the connection', async () => {
  const clock = fakeClock();
  const notices = watchOver(clock, BOOKMARK_AFTER_MS);
  await clock.advance(3_600_000);
  expect(new Set(recorded(notices).slice(3))).toEqual(new Set(['frame']));
});

test('an API server that streams no lists is asked for pages from then on, and that is no failure', async () => {
  const clock = fakeClock();
  const end = new AbortController();
  const notices: WatchNotice[] = [];
  const transport: Transport = {
    request: async () => ({ metadata: { resourceVersion: '10' }, items: [] }),
    stream: async (call) => {
      if (call.query?.['sendInitialEvents']) throw new ClusterError('invalid', 'sendInitialEvents is forbidden');
      return frames(clock, call, undefined);
    },
    close: nothing,
  };
  const { from: _, ...parts } = partsOf(clock, end.signal);
  const running = runWatch({ ...parts, transport, observe: (notice) => notices.push(notice) });
  await clock.advance(1);
  expect(recorded(notices)).toEqual(['stream-list', 'unstreamable', 'paged-list', 'synced', 'watching', 'opened']);
  end.abort(new Error('The test is over'));
  await running;
});

test('a slow sink delays the reading, and the reading continues from there', async () => {
  const clock = fakeClock();
  const end = new AbortController();
  const seen: string[] = [];
  const waiting: (() => void)[] = [];
  const parts = partsOf(clock, end.signal);
  const running = runWatch({
    ...parts,
    transport: {
      request: async () => ({ metadata: { resourceVersion: '10' }, items: [] }),
      stream: async (call) => frames(clock, call, 1),
      close: nothing,
    },
    sink: {
      ...parts.sink,
      progressed: (version) => seen.push(version),
      pace: () => (seen.length < 2 ? undefined : new Promise((resolve) => waiting.push(resolve))),
    },
  });
  await clock.advance(10);
  expect(seen).toEqual(['11', '12']);
  waiting.pop()?.();
  await clock.advance(10);
  expect(seen).toEqual(['11', '12', '13']);
  end.abort(new Error('The test is over'));
  waiting.pop()?.();
  await running;
});

test('a wait that the API server requests passes before the next request, and no longer one', async () => {
  const clock = fakeClock();
  const end = new AbortController();
  const busy = new ClusterError('unavailable', 'busy', { retryAfterSeconds: 7 });
  let requests = 0;
  const refuse = async () => {
    requests += 1;
    throw busy;
  };
  const transport: Transport = { request: refuse, stream: refuse, close: nothing };
  const running = runWatch({ ...partsOf(clock, end.signal), transport });
  await clock.advance(6_999);
  expect(requests).toBe(1);
  await clock.advance(1);
  expect(requests).toBe(2);
  end.abort(new Error('The test is over'));
  await running;
});
