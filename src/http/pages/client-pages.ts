/** Answers to SDKs: each snapshot with its ETag, serialised once for each version. */

import type { Events, Feed, Feeds } from '../../delivery/feeds.ts';
import type { Snapshot, SnapshotSource, Snapshots } from '../../delivery/snapshots.ts';
import { concat } from '../../model/bytes.ts';
import { memo } from '../../model/memo.ts';
import type { SnapshotQuery } from '../../wire/client/document.ts';
import type { ChangingAnswer } from '../server/answer/encodings.ts';
import { Representation } from '../server/answer/representation.ts';

interface ClientPagesParts {
  readonly snapshots: Snapshots;
  readonly feeds: Feeds;
  readonly hydrated: () => void;
}

export interface ClientPages {
  /** GET /api/client/delta; `known` is the id of the caller's state. */
  delta(query: SnapshotQuery, known: string | undefined): Promise<ChangingAnswer | Representation>;
  /** GET /api/client/features; returns the same object until it is dropped because it was not used. */
  features(query: SnapshotQuery): Promise<ChangingAnswer>;
  /** GET /api/client/features/:featureName; undefined if the flag does not exist. */
  feature(name: string, query: SnapshotQuery): Representation | undefined;
}

export function createClientPages({ snapshots, feeds, hydrated }: ClientPagesParts): ClientPages {
  const represented = memo((snapshot: Snapshot, _: undefined) => new Representation(snapshot.bytes));
  const answers = memo((source: SnapshotSource, _: undefined) => ({
    current: () => represented(source.current(), undefined),
  }));
  const representedEvents = memo(({ pieces, id }: Events, _: undefined) => new Representation(concat(pieces), id));
  const hydrations = memo((_source: SnapshotSource, feed: Feed) => ({
    current: () => representedEvents(feed.hydration(), undefined),
  }));
  return {
    async delta(query, known) {
      const feed = await feeds.ready(query, known);
      const number = known === undefined ? undefined : feed.numberOf(known);
      const events = number === undefined ? undefined : feed.since(number);
      // Uses the tag that the caller has, so that the answer is 304.
      if (events?.isEmpty) return new Representation(concat(events.pieces), known);
      if (events) return representedEvents(events, undefined);
      hydrated();
      return hydrations(snapshots.source(query), feed);
    },
    async features(query) {
      const source = snapshots.source(query);
      await source.prepare();
      return answers(source, undefined);
    },
    feature(name, query) {
      const bytes = snapshots.feature(name, query);
      return bytes && new Representation(bytes);
    },
  };
}
