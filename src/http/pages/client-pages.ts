/** Answers to SDKs: each snapshot with its ETag, made once for each version. */
import { memo } from '../../catalog/memo.ts';
import type { Snapshot, SnapshotSource, Snapshots } from '../../delivery/snapshots.ts';
import type { SnapshotQuery } from '../../wire/client/document.ts';
import type { ChangingAnswer } from '../server/encodings.ts';
import { Representation } from '../server/representation.ts';

export type ClientPages = ReturnType<typeof createClientPages>;

export function createClientPages(snapshots: Snapshots) {
  const represented = memo((snapshot: Snapshot, _: undefined) => new Representation(snapshot.bytes));
  const answers = memo(
    (source: SnapshotSource, _: undefined): ChangingAnswer => ({
      current: () => represented(source.current(), undefined),
    }),
  );
  return {
    /** GET /api/client/features; the same object for as long as it is asked for. */
    async features(query: SnapshotQuery): Promise<ChangingAnswer> {
      const source = snapshots.source(query);
      await source.prepare();
      return answers(source, undefined);
    },
    /** GET /api/client/features/:featureName; undefined: the flag is not there. */
    feature(name: string, query: SnapshotQuery): Representation | undefined {
      const bytes = snapshots.feature(name, query);
      return bytes && new Representation(bytes);
    },
  };
}
