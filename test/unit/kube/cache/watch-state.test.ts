import { describe, expect, test } from 'vitest';
import { ClusterError } from '../../../../src/errors.ts';
import { refusedCall } from '../../../../src/kube/api/errors.ts';
import {
  APART_MS,
  advance,
  HEALTHY_MS,
  MAX_RETRY_AFTER_MS,
  requestOf,
  startWatch,
  type WatchEvent,
  type WatchState,
} from '../../../../src/kube/cache/watch-state.ts';

const retryState = { failures: 0, streamable: true };
const streaming: WatchState = { ...retryState, phase: 'stream-list' };
const paging: WatchState = { ...retryState, phase: 'paged-list' };
const watching: WatchState = { ...retryState, phase: 'watching', version: '10' };
const resumed: WatchState = { ...watching, resumedAt: '10' };
const checking: WatchState = { ...retryState, phase: 'checking', version: '10' };
function frame(type: string, version: string | number, annotations?: Record<string, string>): WatchEvent {
  const object = { metadata: { resourceVersion: String(version), annotations } };
  return { type: 'frame', frame: { type, object }, aliveMs: 0 };
}

function page(version: string, token?: string): WatchEvent {
  return { type: 'page', page: { items: ['item'], version, token } };
}

function failed(error: unknown, aliveMs = 0): WatchEvent {
  return { type: 'failed', error, aliveMs };
}

const down = new ClusterError('unavailable', 'down');
const gone = new ClusterError('gone', 'gone');
const invalid = new ClusterError('invalid', 'invalid');
const end = { 'k8s.io/initial-events-end': 'true' };
const tooLarge = refusedCall({
  action: 'GET',
  status: 504,
  body: { details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 } },
});
const goneFrame: WatchEvent = {
  type: 'frame',
  frame: { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
  aliveMs: 0,
};

interface Row {
  readonly from: WatchState;
  readonly on: WatchEvent;
  readonly to: Partial<WatchState> & { version?: string; token?: string };
  readonly effects?: readonly string[];
  readonly next: 'read-on' | 'now' | 'wait';
}

const rows: Record<string, Row> = {
  'a streamed list gathers': {
    from: streaming,
    on: frame('ADDED', 5),
    to: { phase: 'stream-list' },
    effects: ['listed'],
    next: 'read-on',
  },
  'a deletion inside a streamed list takes out': {
    from: streaming,
    on: frame('DELETED', 5),
    to: { phase: 'stream-list' },
    effects: ['unlisted'],
    next: 'read-on',
  },
  'a bookmark inside a streamed list means nothing': {
    from: streaming,
    on: frame('BOOKMARK', 5),
    to: { phase: 'stream-list' },
    next: 'read-on',
  },
  'its end swaps, and the same stream goes on as the watch': {
    from: streaming,
    on: frame('BOOKMARK', 9, end),
    to: { phase: 'watching', version: '9' },
    effects: ['swap 9'],
    next: 'read-on',
  },
  'a server that refuses to stream lists is asked for pages at once': {
    from: streaming,
    on: failed(invalid),
    to: { phase: 'paged-list', streamable: false },
    effects: ['begin'],
    next: 'now',
  },
  'a streamed list that breaks starts again': {
    from: streaming,
    on: failed(down),
    to: { phase: 'stream-list', failures: 1 },
    effects: ['begin'],
    next: 'wait',
  },
  'a streamed list that ends without saying that it was all is done by pages': {
    from: streaming,
    on: { type: 'ended', aliveMs: 0 },
    to: { phase: 'paged-list', streamable: true },
    effects: ['begin'],
    next: 'wait',
  },
  'a streamed list that falls silent is done by pages': {
    from: streaming,
    on: { type: 'silent' },
    to: { phase: 'paged-list', streamable: true },
    effects: ['begin'],
    next: 'wait',
  },
  'a page leads to the next one': {
    from: paging,
    on: page('10', 't'),
    to: { phase: 'paged-list', version: '10', token: 't' },
    effects: ['listed'],
    next: 'now',
  },
  'the last page swaps at the version of the first': {
    from: { ...paging, version: '10', token: 't' },
    on: page('12'),
    to: { phase: 'watching', version: '10' },
    effects: ['listed', 'swap 10'],
    next: 'now',
  },
  'a page that fails is asked for again': {
    from: { ...paging, version: '10', token: 't' },
    on: failed(down),
    to: { phase: 'paged-list', token: 't', failures: 1 },
    next: 'wait',
  },
  'an expired token starts a new list': {
    from: { ...paging, version: '10', token: 't' },
    on: failed(gone),
    to: { phase: 'stream-list', failures: 1 },
    effects: ['begin'],
    next: 'wait',
  },
  'an event is reported and moves the version': {
    from: watching,
    on: frame('MODIFIED', 11),
    to: { phase: 'watching', version: '11' },
    effects: ['applied'],
    next: 'read-on',
  },
  'a late event does not take the version back': {
    from: watching,
    on: frame('ADDED', 9),
    to: { version: '10' },
    effects: ['applied'],
    next: 'read-on',
  },
  'a deletion is reported': {
    from: watching,
    on: frame('DELETED', 12),
    to: { version: '12' },
    effects: ['deleted'],
    next: 'read-on',
  },
  'a bookmark is progress': {
    from: watching,
    on: frame('BOOKMARK', 15),
    to: { version: '15' },
    effects: ['progressed 15'],
    next: 'read-on',
  },
  'a bookmark from before our time means a rewritten history': {
    from: watching,
    on: frame('BOOKMARK', 5),
    to: { phase: 'stream-list' },
    effects: ['begin rewritten'],
    next: 'wait',
  },
  'a watch that the server ends goes on at once': {
    from: { ...watching, failures: 3 },
    on: { type: 'ended', aliveMs: HEALTHY_MS },
    to: { phase: 'watching', version: '10', resumedAt: '10', failures: 0 },
    next: 'now',
  },
  'a watch that ends right away waits': {
    from: watching,
    on: { type: 'ended', aliveMs: 5 },
    to: { phase: 'watching', failures: 1 },
    next: 'wait',
  },
  'a cut watch checks before it goes on': {
    from: watching,
    on: failed(down),
    to: { phase: 'checking', version: '10', failures: 1 },
    next: 'wait',
  },
  'a silent watch checks at once': {
    from: watching,
    on: { type: 'silent' },
    to: { phase: 'checking', version: '10' },
    next: 'now',
  },
  'a version that is gone leads to a list': {
    from: watching,
    on: goneFrame,
    to: { phase: 'stream-list', failures: 1 },
    effects: ['begin'],
    next: 'wait',
  },
  'a version that is gone leads to pages where lists are not streamed': {
    from: { ...watching, streamable: false },
    on: failed(gone),
    to: { phase: 'paged-list' },
    effects: ['begin'],
    next: 'wait',
  },
  'a version that the server has not reached means a rewritten history': {
    from: watching,
    on: failed(tooLarge),
    to: { phase: 'stream-list' },
    effects: ['begin rewritten'],
    next: 'wait',
  },
  'a kind that is gone leads to a list': {
    from: watching,
    on: failed(new ClusterError('not-found', '')),
    to: { phase: 'stream-list' },
    effects: ['begin'],
    next: 'wait',
  },
  'a check that finds our time goes on': {
    from: checking,
    on: page('10'),
    to: { phase: 'watching', version: '10', resumedAt: '10' },
    effects: ['lateUpTo 10'],
    next: 'now',
  },
  'a check that finds an earlier time lists': {
    from: checking,
    on: page('9'),
    to: { phase: 'stream-list' },
    effects: ['begin rewritten'],
    next: 'wait',
  },
  'a check that fails is made again': {
    from: checking,
    on: failed(down),
    to: { phase: 'checking', version: '10', failures: 1 },
    next: 'wait',
  },
  'a frame that is no event is a failure': {
    from: watching,
    on: { type: 'frame', frame: 'x', aliveMs: 0 },
    to: { phase: 'checking' },
    next: 'wait',
  },
  'an event of an unknown type is a failure': {
    from: watching,
    on: frame('RENAMED', 11),
    to: { phase: 'checking', version: '10' },
    next: 'wait',
  },
};

test.each(Object.entries(rows))('%s', (_, { from, on, to, effects = [], next }) => {
  const step = advance(from, on);
  expect(step.state).toMatchObject(to);
  expect(step.effects.map(recorded)).toEqual(effects);
  expect(typeof step.next === 'string' ? step.next : 'wait').toBe(next);
});

function recorded(effect: ReturnType<typeof advance>['effects'][number]): string {
  if (effect.do === 'begin') return effect.isRewritten ? 'begin rewritten' : 'begin';
  return 'version' in effect ? `${effect.do} ${effect.version}` : effect.do;
}

describe('the wait', () => {
  test('grows with consecutive failures, and is reset after a healthy stream', () => {
    expect(advance({ ...watching, failures: 4 }, failed(down)).next).toEqual({ failures: 4, atLeastMs: 0 });
    expect(advance({ ...watching, failures: 4 }, failed(down, HEALTHY_MS)).next).toEqual({ failures: 0, atLeastMs: 0 });
  });

  test('is not reset because a list succeeded, so that lists whose watch is refused do not become a storm', () => {
    const relisting = advance({ ...watching, failures: 2 }, failed(gone)).state;
    const listed = advance(relisting, frame('BOOKMARK', 20, end)).state;
    expect(advance(listed, goneFrame).next).toEqual({ failures: 3, atLeastMs: 0 });
  });

  test.each([
    ['an event', frame('MODIFIED', 11)],
    ['a deletion', frame('DELETED', 11)],
    ['a bookmark', frame('BOOKMARK', 11)],
  ])('is reset after a resumed stream that sent %s, however short it was', (_, frame) => {
    const { state } = advance({ ...resumed, failures: 4 }, frame);
    for (const end of [failed(down, 10), { type: 'ended', aliveMs: 10 } as const]) {
      const step = advance(state, end);
      expect(step.next).toEqual({ failures: 0, atLeastMs: APART_MS - 10 });
      expect(step.state.failures).toBe(1);
    }
    expect(advance(state, failed(down, APART_MS + 1)).next).toEqual({ failures: 0, atLeastMs: 0 });
  });

  test.each([
    ['a repeated old event', frame('MODIFIED', 10)],
    ['a bookmark of where it began', frame('BOOKMARK', 10)],
  ])('is not reset after %s', (_, old) => {
    const { state } = advance({ ...resumed, failures: 4 }, old);
    expect(advance(state, failed(down, 10)).next).toEqual({ failures: 4, atLeastMs: 0 });
  });

  test('is not reset because of events after a list, so that lists whose watch breaks do not become a storm', () => {
    const listed = advance({ ...streaming, failures: 4 }, frame('BOOKMARK', 20, end)).state;
    const { state } = advance(listed, frame('MODIFIED', 21));
    expect(advance(state, failed(down, 10)).next).toEqual({ failures: 4, atLeastMs: 0 });
  });

  test('is not reset for a list, whatever its stream sent before', () => {
    const { state } = advance({ ...resumed, failures: 4 }, frame('MODIFIED', 11));
    expect(advance(state, goneFrame).next).toEqual({ failures: 4, atLeastMs: 0 });
  });

  test('counts the events of a stream only for that stream', () => {
    const { state } = advance(resumed, frame('MODIFIED', 11));
    const again = advance(state, { type: 'ended', aliveMs: 10 }).state;
    expect(advance(again, { type: 'ended', aliveMs: 10 }).next).toEqual({ failures: 1, atLeastMs: 0 });
  });

  test.each([
    ['breaks off', failed(down, 1)],
    ['hangs up in order', { type: 'ended', aliveMs: 1 } as const],
  ])(
    'is a second for each connection, in the worst case, when the server %s after each event or bookmark',
    (_, last) => {
      let state: WatchState = resumed;
      let waitedMs = 0;
      for (let version = 11; version <= 70; version += 1) {
        const recorded = advance(state, frame(version % 2 ? 'MODIFIED' : 'BOOKMARK', version)).state;
        const { state: going, next } = advance(recorded, last);
        // Jitter may reduce the back-off to zero.
        waitedMs += typeof next === 'string' ? 0 : next.atLeastMs + 1;
        // If there is nothing to check, the page has no item.
        state = advance(going, page(String(version))).state;
      }
      expect(waitedMs).toBe(60 * APART_MS);
    },
  );

  test('honours Retry-After within reason', () => {
    const busy = (seconds: number) => new ClusterError('unavailable', 'busy', { retryAfterSeconds: seconds });
    expect(advance(watching, failed(busy(7))).next).toEqual({ failures: 0, atLeastMs: 7000 });
    expect(advance(watching, failed(busy(1e9))).next).toEqual({ failures: 0, atLeastMs: MAX_RETRY_AFTER_MS });
  });
});

test('each state sends the request that it needs', () => {
  expect(requestOf(startWatch().state, 300)).toEqual({
    mode: 'stream',
    query: {
      watch: true,
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
    },
  });
  expect(requestOf({ ...paging, token: 't' }, 300)).toEqual({ mode: 'page', query: { limit: 500, continue: 't' } });
  expect(requestOf(startWatch('10').state, 300)).toEqual({ mode: 'page', query: { limit: 1 } });
  expect(requestOf(watching, 300)).toMatchObject({ query: { resourceVersion: '10' } });
});
