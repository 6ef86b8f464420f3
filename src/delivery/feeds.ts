/** The answers to queries: everything, and the changes since a given change. */
import { LRUCache } from 'lru-cache';
import { throwUncaught } from '../model/listeners.ts';
import { memo } from '../model/memo.ts';
import { collectInTurns, turnsOfRequest } from '../runtime/turns.ts';
import { deltaOf, featureRemoved, featureUpdated, hydrationAround, segmentUpdated } from '../wire/client/delta.ts';
import type { SnapshotQuery } from '../wire/client/document.ts';
import { type ChangeLog, createChangeLog, type OnFaultyFlag, type ServedChange } from './change-log.ts';
import type { FlagOrigin } from './flag-origin.ts';
import { keepAnswers } from './kept-answers.ts';
import { bytesFor, isAskedFor } from './served-flag.ts';
import { keyOfQuery, type Snapshot, type Snapshots } from './snapshots.ts';

/** Events as the bytes of an answer of the delta endpoint. */
export interface Events {
  /** The id of the state of a client that has applied the events. */
  readonly id: string;
  /** The number of the last change in the events. */
  readonly head: number;
  readonly isEmpty: boolean;
  /** The pieces in their order; some may be shared with other answers. */
  readonly pieces: readonly Buffer[];
}

/** The answers to one query. */
export interface Feed {
  /** The number that an id of this feed stands for; undefined if the id belongs to another feed or process. */
  numberOf(id: string): number | undefined;
  /** The number of the last change. */
  head(): number;
  /** Whether the changes since this number are still kept. */
  keeps(number: number): boolean;
  /**
   * The changes since this number; usually the same object for all clients at that number. Undefined if a client has to
   * start again with `hydration`.
   */
  since(number: number): Events | undefined;
  /** Everything, for a client that has nothing. Returns the same object until something in it changes. */
  hydration(): Events;
}

/** The maximum number of feeds; clients of a feed that was dropped start again with everything. */
const MAX_FEEDS = 1_000;
/**
 * The bound of the events that are kept until the next change, for other clients that ask for the same ones. Larger
 * events, which many segments can make, are kept alone.
 */
const MAX_EVENTS_BYTES = 16 * 1024 * 1024;
/** The estimated size of kept events in addition to their bytes. */
const BYTES_AROUND_EVENTS = 1024;

interface FeedsParts {
  readonly origin: Pick<FlagOrigin, 'onTouched'>;
  readonly snapshots: Snapshots;
  /** The prefix of all ids of this process, of letters and digits. */
  readonly idPrefix: string;
  /** Called when the changes of a flag cannot be computed. Absent: it ends the process. */
  readonly onFault?: OnFaultyFlag;
}

export interface Feeds {
  /** Returns the same feed until it is dropped because it was not used. */
  of(query: SnapshotQuery): Feed;
  /**
   * As `of`, prepared for a client whose state has the id `known`: the new and changed flags that it needs are made a
   * few at a time, so that other requests do not wait for thousands of flags.
   */
  ready(query: SnapshotQuery, known: string | undefined): Promise<Feed>;
}

/** A log begins when its environment is first asked for, and ends when no feed reads it any more. */
export function createFeeds({ origin, snapshots, idPrefix, onFault = throwUncaught }: FeedsParts): Feeds {
  const logs = new Map<string, WeakRef<ChangeLog>>();
  const logOf = (environment: string) => logs.get(environment)?.deref();
  const feeds = keepAnswers<Feed>({ max: MAX_FEEDS });
  const made = new LRUCache<string, Events>({
    maxSize: MAX_EVENTS_BYTES,
    sizeCalculation: ({ pieces }) =>
      Math.min(
        pieces.reduce((sum, { length }) => sum + length, BYTES_AROUND_EVENTS),
        MAX_EVENTS_BYTES,
      ),
  });
  let count = 0;
  origin.onTouched((touched) => {
    made.clear();
    for (const [environment, log] of logs) {
      const known = log.deref();
      if (known) known.touch(touched);
      else logs.delete(environment);
    }
  });
  const newLog = (environment: string): ChangeLog => {
    const log = createChangeLog({
      served: (name) => snapshots.served(name, environment),
      everyServed: () => snapshots.everyServed(environment),
      onFault,
    });
    logs.set(environment, new WeakRef(log));
    return log;
  };
  const newFeed = (query: SnapshotQuery, key: string): Feed => {
    count += 1;
    const log = logOf(query.environment) ?? newLog(query.environment);
    const feed = createFeed({ query, log, snapshots, made, prefix: `${idPrefix}${count}` });
    feeds.set(key, feed);
    return feed;
  };
  const feedOf = (query: SnapshotQuery): Feed => {
    const key = keyOfQuery(query);
    return feeds.get(key) ?? newFeed(query, key);
  };
  return {
    of: feedOf,

    async ready(query: SnapshotQuery, known: string | undefined): Promise<Feed> {
      if (!logOf(query.environment)) await collectInTurns(snapshots.everyServed(query.environment), turnsOfRequest());
      const feed = feedOf(query);
      const number = known === undefined ? undefined : feed.numberOf(known);
      if (number === undefined || !feed.keeps(number)) await snapshots.source(query).prepare();
      return feed;
    },
  };
}

interface FeedParts {
  readonly query: SnapshotQuery;
  readonly log: ChangeLog;
  readonly snapshots: Snapshots;
  readonly made: LRUCache<string, Events>;
  /** The prefix of all ids of this feed. */
  readonly prefix: string;
}

function createFeed({ query, log, snapshots, made, prefix }: FeedParts): Feed {
  const idOf = (number: number) => `${prefix}-${number}`;
  const idPattern = new RegExp(`^${prefix}-(\\d{1,15})$`);
  const eventsOf = (changes: readonly ServedChange[], head: number): Events => {
    const events = netEvents(changes, query);
    return { id: idOf(head), head, isEmpty: events.length === 0, pieces: [deltaOf(events)] };
  };
  const hydrated = memo((snapshot: Snapshot, head: number): Events => {
    const [opening, closing] = hydrationAround(head, snapshot);
    return { id: idOf(head), head, isEmpty: false, pieces: [opening, snapshot.features, closing] };
  });
  return {
    numberOf(id) {
      const [, number] = idPattern.exec(id) ?? [];
      return number === undefined ? undefined : Number(number);
    },
    head: log.head,
    keeps: log.keeps,
    since(number) {
      const head = log.head();
      const key = `${idOf(number)} ${head}`;
      const known = made.get(key);
      if (known) return known;
      const changes = log.since(number);
      if (!changes) return undefined;
      const events = eventsOf(changes, head);
      made.set(key, events);
      return events;
    },
    hydration: () => hydrated(snapshots.source(query).current(), log.head()),
  };
}

interface Net {
  readonly first: ServedChange;
  readonly last: ServedChange;
  readonly isSameContent: boolean;
}

/** One event for each flag that differs, in the order of their last changes. */
function netEvents(changes: readonly ServedChange[], query: SnapshotQuery): readonly Buffer[] {
  const nets = new Map<string, Net>();
  for (const change of changes) {
    const { first = change, isSameContent = true } = nets.get(change.name) ?? {};
    nets.delete(change.name);
    nets.set(change.name, { first, last: change, isSameContent: isSameContent && change.isSameContent });
  }
  return [...nets.values()].flatMap((net) => eventsOfNet(net, query));
}

/**
 * Empty if nothing has changed for this query. Segments that no flag uses any more stay with the client, as they decide
 * nothing.
 */
function eventsOfNet({ first, last, isSameContent }: Net, query: SnapshotQuery): readonly Buffer[] {
  const before = first.before && isAskedFor(first.before, query) ? first.before : undefined;
  const after = last.after && isAskedFor(last.after, query) ? last.after : undefined;
  if (!after) return before ? [featureRemoved(last.number, before)] : [];
  if (before && isSameContent && !query.isForEdge) return [];
  const known = new Set(before?.segments.map((segment) => JSON.stringify(segment)));
  const segments = query.inlinesSegments ? [] : after.segments.map((segment) => JSON.stringify(segment));
  return [
    ...segments.filter((segment) => !known.has(segment)).map((segment) => segmentUpdated(last.number, segment)),
    featureUpdated(last.number, bytesFor(after, query)),
  ];
}
