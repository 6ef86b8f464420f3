/** Compares the times of the history with the times at which a watch saw the same versions. */
import type { Entry } from '../../../src/domain/history/entry.ts';
import type { SeenVersion } from './every-version.ts';

/** Objects have times in whole seconds, and the watch of the test may be late on a busy machine. */
const APART_MS = 10_000;

/** Returns a sentence for each problem; none if the times are right. */
export function complaintsAboutTimes(entries: readonly Entry[], versions: readonly SeenVersion[]): readonly string[] {
  const seenAt = new Map(
    versions.map(({ object: { metadata }, seenAt: at }) => [`${metadata.uid} ${metadata.resourceVersion}`, at]),
  );
  return [
    ...entries.flatMap((entry) => wrongIn(entry, seenAt.get(`${entry.uid} ${entry.toVersion}`))),
    ...reversedIn(entries),
  ];
}

function wrongIn({ id, type, createdAt, earliestAt }: Entry, seenAt: number | undefined): readonly string[] {
  if (seenAt === undefined) return [`${id} ${type} ends at a version that nobody saw`];
  const isWithin = (earliestAt ?? createdAt) - APART_MS <= seenAt && seenAt <= createdAt + APART_MS;
  const shown = [earliestAt, createdAt, seenAt].map((time) => time && new Date(time).toISOString());
  return isWithin ? [] : [`${id} ${type} says from ${shown[0]} to ${shown[1]}, and was at ${shown[2]}`];
}

/** No entry of an object has an earlier time than the entry before it. */
function reversedIn(entries: readonly Entry[]): readonly string[] {
  return [...Map.groupBy(entries, ({ uid }) => uid).values()].flatMap((ofOne) =>
    ofOne.flatMap((entry, index) =>
      entry.createdAt < (ofOne[index - 1]?.createdAt ?? 0)
        ? [`${entry.id} ${entry.type} is before what precedes it`]
        : [],
    ),
  );
}
