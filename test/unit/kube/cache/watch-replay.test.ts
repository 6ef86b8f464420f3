/** A watch that is refused, and that may read what it missed. */
import { expect, test } from 'vitest';
import { ClusterError } from '../../../../src/errors.ts';
import {
  advance,
  requestOf,
  type WatchEffect,
  type WatchEvent,
  type WatchState,
} from '../../../../src/kube/cache/watch-state.ts';

const replayable = { failures: 0, streamable: true, replayable: true };
const seeking: WatchState = { ...replayable, phase: 'seeking', version: '10' };
const replaying: WatchState = { ...replayable, phase: 'replaying', version: '10', until: '90' };
const replay = { from: '40', until: '90' };
const pagingPast: WatchState = { ...replayable, phase: 'paged-list', replay };
const found = (version: string): WatchEvent => ({
  type: 'seek-result',
  found: { version, present: '90', isRewritten: false },
});

const down = new ClusterError('unavailable', 'down');
const gone = new ClusterError('gone', 'gone');
const invalid = new ClusterError('invalid', 'invalid');
const failed = (error: unknown): WatchEvent => ({ type: 'failed', error, aliveMs: 0 });
const page = (version: string, token?: string): WatchEvent => ({
  type: 'page',
  page: { items: ['item'], version, token },
});
const change = (version: string): WatchEvent => {
  return { type: 'frame', frame: { type: 'MODIFIED', object: { metadata: { resourceVersion: version } } }, aliveMs: 0 };
};

interface Row {
  readonly from: WatchState;
  readonly on: WatchEvent;
  readonly to: object;
  readonly effects?: readonly string[];
  readonly next: 'read-on' | 'now' | 'wait';
}

const rows: Record<string, Row> = {
  'a watch that is refused seeks what it has missed, where that can be read': {
    from: { ...replayable, phase: 'watching', version: '10', resumedAt: '10' },
    on: failed(gone),
    to: { phase: 'seeking', version: '10' },
    next: 'wait',
  },
  'what can be read from where the watch ended is replayed': {
    from: seeking,
    on: found('10'),
    to: { phase: 'replaying', version: '10', until: '90' },
    effects: ['lateUpTo 90'],
    next: 'now',
  },
  'a past that is not the one that was seen is of a restored backup': {
    from: seeking,
    on: { type: 'seek-result', found: { version: '10', present: '90', isRewritten: true } },
    to: { phase: 'stream-list' },
    effects: ['begin'],
    next: 'wait',
  },
  'where the past begins later, what existed then is listed first': {
    from: seeking,
    on: found('40'),
    to: { phase: 'paged-list', replay },
    effects: ['lateUpTo 90', 'begin'],
    next: 'now',
  },
  'the pages of such a list belong to it': {
    from: pagingPast,
    on: page('40', 'token'),
    to: { phase: 'paged-list', replay, token: 'token' },
    effects: ['listed'],
    next: 'now',
  },
  'such a list ends at its version, and the rest is replayed': {
    from: pagingPast,
    on: page('40'),
    to: { phase: 'replaying', version: '40', until: '90' },
    effects: ['listed', 'swap 40'],
    next: 'now',
  },
  'a replayed change moves on': {
    from: replaying,
    on: change('15'),
    to: { phase: 'replaying', version: '15', until: '90' },
    effects: ['applied'],
    next: 'read-on',
  },
  'a replay that fails seeks again where it was, because etcd may have been restored': {
    from: { ...replaying, version: '15' },
    on: failed(down),
    to: { phase: 'seeking', version: '15' },
    next: 'wait',
  },
  'a replay that etcd overtakes by forgetting seeks again': {
    from: { ...replaying, version: '15' },
    on: failed(gone),
    to: { phase: 'seeking', version: '15' },
    next: 'wait',
  },
  'a replay that ends is followed by the watch, which is checked first': {
    from: { ...replaying, version: '90' },
    on: { type: 'ended', aliveMs: 0 },
    to: { phase: 'checking', version: '90' },
    next: 'now',
  },
  'a past that cannot be read at all is given up': {
    from: seeking,
    on: failed(invalid),
    to: { phase: 'stream-list' },
    effects: ['begin'],
    next: 'wait',
  },
};

const recorded = (effect: WatchEffect) => ('version' in effect ? `${effect.do} ${effect.version}` : effect.do);

test.each(Object.entries(rows))('%s', (_, { from, on, to, effects = [], next }) => {
  const step = advance(from, on);
  expect(step.state).toMatchObject(to);
  expect(step.effects.map(recorded)).toEqual(effects);
  expect(typeof step.next === 'string' ? step.next : 'wait').toBe(next);
});

test('a list of the past is requested at its version, a replay from there to the present', () => {
  const exactly = { limit: 500, resourceVersion: '40', resourceVersionMatch: 'Exact' };
  expect(requestOf(pagingPast, 300)).toEqual({ mode: 'page', query: exactly });
  const second: WatchState = { ...pagingPast, token: 't' };
  expect(requestOf(second, 300)).toEqual({ mode: 'page', query: { limit: 500, continue: 't' } });
  expect(requestOf(seeking, 300)).toEqual({ mode: 'seek', from: '10' });
  expect(requestOf(replaying, 300)).toEqual({ mode: 'replay', range: { from: '10', until: '90' } });
});
