/** The watch over hours of a fake clock: its shipped limits of silence. */
import { expect, onTestFinished, test } from 'vitest';
import type { StreamCall, Transport } from '../../../../src/kube/api/transport.ts';
import { runWatch, type WatchNotice } from '../../../../src/kube/cache/watch.ts';
import { type FakeClock, fakeClock } from '../../../support/fake-clock.ts';
import { PROBE } from '../../../support/probe.ts';

const BOOKMARK_AFTER_MS = 60_000;

/** Frames that come as long as the stream is open, each so long after the one before; none: it is silent. */
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

/** A watch that is resumed at version 10, in a cluster where nothing is newer. */
function watchOver(clock: FakeClock, everyMs?: number): WatchNotice[] {
  const end = new AbortController();
  const notices: WatchNotice[] = [];
  const transport: Transport = {
    request: async () => ({ metadata: { resourceVersion: '10' }, items: [] }),
    stream: async (call) => frames(clock, call, everyMs),
    close: () => undefined,
  };
  const nothing = () => undefined;
  const sink = { begin: nothing, listed: nothing, unlisted: nothing, swap: nothing };
  const running = runWatch({
    transport,
    kind: PROBE,
    namespace: 'any',
    sink: { ...sink, applied: nothing, deleted: nothing, progressed: nothing },
    backoff: () => 0,
    clock,
    random: () => 0,
    signal: end.signal,
    observe: (notice) => notices.push(notice),
    from: '10',
  });
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

test('one that never sends anything costs two requests every 90 seconds', async () => {
  const clock = fakeClock();
  const notices = watchOver(clock);
  await clock.advance(3_600_000);
  expect(recorded(notices).filter((one) => one === 'watching' || one === 'checking')).toHaveLength(
    2 * (1 + 3_600 / 90),
  );
});

test('a bookmark a minute keeps it', async () => {
  const clock = fakeClock();
  const notices = watchOver(clock, BOOKMARK_AFTER_MS);
  await clock.advance(3_600_000);
  expect(new Set(recorded(notices).slice(3))).toEqual(new Set(['frame']));
});

test('a slower sink delays the reading, and goes on from there', async () => {
  const clock = fakeClock();
  const end = new AbortController();
  const seen: string[] = [];
  const waiting: (() => void)[] = [];
  const nothing = () => undefined;
  const running = runWatch({
    transport: {
      request: async () => ({ metadata: { resourceVersion: '10' }, items: [] }),
      stream: async (call) => frames(clock, call, 1),
      close: nothing,
    },
    kind: PROBE,
    namespace: 'any',
    sink: {
      ...{ begin: nothing, listed: nothing, unlisted: nothing, swap: nothing, applied: nothing, deleted: nothing },
      progressed: (version) => seen.push(version),
      pace: () => (seen.length < 2 ? undefined : new Promise((resolve) => waiting.push(resolve))),
    },
    backoff: () => 0,
    clock,
    random: () => 0,
    signal: end.signal,
    from: '10',
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
