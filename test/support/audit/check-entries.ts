/**
 * Compares the history with the versions that the API server really had: each change is recorded once, in order, with
 * its author and its version before. The comparison knows the few changes that the writers of tests make, and not how
 * the operator finds them.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Entry } from '../../../src/domain/history/entry.ts';
import type { Stored } from '../stored.ts';
import type { SeenVersion } from './every-version.ts';

/** The expected content of one entry. */
interface Wanted {
  readonly uid: string;
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly environment: string | null;
  readonly by: string;
  readonly was: unknown;
  readonly is: unknown;
}

export interface Recorded {
  readonly entries: readonly Entry[];
  readonly versions: readonly SeenVersion[];
  /** False if no policy records authors, so that they are not compared. */
  readonly recordsAuthors: boolean;
}

/** Returns a sentence for each problem; none if the history is right. */
export function complaintsAbout({ entries, versions, recordsAuthors }: Recorded): readonly string[] {
  const compared = (one: Wanted): Wanted => (recordsAuthors ? one : { ...one, by: 'not compared' });
  const objects = [...Map.groupBy(versions, ({ object }) => object.metadata.uid).values()];
  const wanted = objects.flatMap(wantedOf).map(compared);
  const found = entries.map(asWanted).map(sinceFirstSeen(versions)).map(compared);
  // Entries are compared as texts, so that the time grows linearly with their number.
  const [wantedTexts, foundTexts] = [new Set(wanted.map(textOf)), Map.groupBy(found.map(textOf), (text) => text)];
  const missing = [...wantedTexts].filter((text) => !foundTexts.has(text));
  const wrong = [...foundTexts.keys()].filter((text) => !wantedTexts.has(text));
  const twice = [...foundTexts].filter(([, { length }]) => length > 1).map(([text]) => text);
  return [
    ...missing.map((text) => `not recorded: ${text}`),
    ...wrong.map((text) => `recorded, and never happened: ${text}`),
    ...twice.map((text) => `recorded twice: ${text}`),
    ...disorder(entries),
  ];
}

/** The watches begin after the baseline of the operator, which may have written a status in between. */
function sinceFirstSeen(versions: readonly SeenVersion[]): (one: Wanted) => Wanted {
  const firsts = new Map(versions.toReversed().map((version) => [version.object.metadata.uid, version]));
  const known = new Map(
    [...firsts].flatMap(([uid, { type, object }]) =>
      type === 'KNOWN' ? [[uid, object.metadata.resourceVersion]] : [],
    ),
  );
  return (one) => {
    const first = known.get(one.uid);
    return first !== undefined && one.from !== '' && BigInt(one.from) < BigInt(first) ? { ...one, from: first } : one;
  };
}

/** Equal entries have equal texts, whatever the order of their fields. */
function textOf({ uid, from, to, type, environment, by, was, is }: Wanted): string {
  return JSON.stringify({ uid, from, to, type, environment, by, was, is });
}

/** Checks that the entries of an object follow each other: each step begins where the one before ended. */
function disorder(entries: readonly Entry[]): readonly string[] {
  const byObject = Map.groupBy(
    entries.toSorted((a, b) => a.id - b.id),
    ({ uid }) => uid,
  );
  return [...byObject.values()].flatMap((recorded) =>
    recorded.flatMap((entry, index) => {
      const before = recorded[index - 1];
      const follows =
        before === undefined ||
        entry.fromVersion === before.toVersion ||
        (entry.fromVersion === before.fromVersion && entry.toVersion === before.toVersion);
      return follows
        ? []
        : [`out of order: ${before?.id} ended at ${before?.toVersion}, ${entry.id} begins at ${entry.fromVersion}`];
    }),
  );
}

function asWanted({ uid, fromVersion, toVersion, type, environment, createdBy, data, preData }: Entry): Wanted {
  return {
    uid,
    from: fromVersion,
    to: toVersion,
    type,
    environment,
    by: createdBy,
    was: contentOf(preData),
    is: contentOf(data),
  };
}

/** The fields that the writers change, wherever an entry has them. */
function contentOf(data: Stored): unknown {
  if (data === null) return null;
  return {
    description: data.description ?? null,
    stale: data.stale ?? null,
    title: data.title ?? null,
    value: data.value ?? null,
  };
}

const flagContent = ({ spec }: Stored) =>
  contentOf({ description: spec.description ?? '', stale: spec.stale ?? false });

/** The expected entries of one object, in order. */
function wantedOf(versions: readonly SeenVersion[]): readonly Wanted[] {
  let recorded: Stored | undefined;
  return versions.flatMap((version) => {
    const before = recorded;
    if (isOfStatus(before, version)) return [];
    recorded = version.object;
    return wantedOfStep(before, version);
  });
}

/** Only a change of the spec makes a new generation. */
function isOfStatus(before: Stored | undefined, { type, object }: SeenVersion): boolean {
  return type !== 'DELETED' && before?.metadata.generation === object.metadata.generation;
}

function wantedOfStep(before: Stored | undefined, { type, object }: SeenVersion): readonly Wanted[] {
  switch (type) {
    case 'KNOWN':
      return [];
    case 'DELETED':
      return [deleted(before ?? object, object)];
    default:
      return before ? changed(before, object) : created(object);
  }
}

function deleted(before: Stored, last: Stored): Wanted {
  const step = { ...stepOf(before, last), by: deleterOf(last) };
  return { ...step, type: 'feature-deleted', environment: null, was: flagContent(before), is: null };
}

function created(object: Stored): readonly Wanted[] {
  const step = stepOf(undefined, object);
  const strategies = Object.entries<Stored>(object.spec.environments ?? {}).flatMap(
    ([environment, { strategies: all }]) =>
      Object.values<Stored>(all ?? {}).map(({ title }) => ({
        ...step,
        type: 'feature-strategy-add',
        environment,
        was: null,
        is: contentOf({ title }),
      })),
  );
  return [{ ...step, type: 'feature-created', environment: null, was: null, is: flagContent(object) }, ...strategies];
}

/** The expected entry for another spec with the same meaning, such as an empty list instead of none. */
function rewritten(before: Stored, after: Stored): Wanted {
  const [was, is] = [flagContent(before), flagContent(after)];
  return { ...stepOf(before, after), type: 'feature-updated', environment: null, was, is };
}

function changed(before: Stored, after: Stored): readonly Wanted[] {
  const what = meaning(before, after);
  return what.length > 0 ? what : [rewritten(before, after)];
}

function meaning(before: Stored, after: Stored): readonly Wanted[] {
  const step = stepOf(before, after);
  const [was, is] = [flagContent(before), flagContent(after)];
  const metadata = isDeepStrictEqual(was, is)
    ? []
    : [{ ...step, type: 'feature-metadata-updated', environment: null, was, is }];
  const archived =
    (before.spec.archived ?? false) === (after.spec.archived ?? false)
      ? []
      : [{ ...step, type: 'feature-archived', environment: null, was: null, is: null }];
  const [wasStale, isStale] = [before.spec.stale ?? false, after.spec.stale ?? false];
  const stale =
    wasStale === isStale
      ? []
      : [{ ...step, type: isStale ? 'feature-stale-on' : 'feature-stale-off', environment: null, was: null, is: null }];
  return [
    ...metadata,
    ...stale,
    ...archived,
    ...tagsChanged(step, before, after),
    ...switched(step, before, after),
    ...retitled(step, before, after),
  ];
}

type Step = Pick<Wanted, 'uid' | 'from' | 'to' | 'by'>;

function tagsChanged(step: Step, before: Stored, after: Stored): readonly Wanted[] {
  const [old, next]: string[][] = [before.spec.tags ?? [], after.spec.tags ?? []];
  const value = (tag: string) => contentOf({ value: tag.slice(tag.indexOf(':') + 1) });
  const added = next?.filter((tag) => !old?.includes(tag)) ?? [];
  const removed = old?.filter((tag) => !next?.includes(tag)) ?? [];
  return [
    ...added.map((tag) => ({ ...step, type: 'feature-tagged', environment: null, was: null, is: value(tag) })),
    ...removed.map((tag) => ({ ...step, type: 'feature-untagged', environment: null, was: value(tag), is: null })),
  ];
}

function environmentsOf({ spec }: Stored): Record<string, Stored> {
  return spec.environments ?? {};
}

function switched(step: Step, before: Stored, after: Stored): readonly Wanted[] {
  return Object.entries(environmentsOf(after)).flatMap(([environment, { enabled = false }]) => {
    const was = environmentsOf(before)[environment]?.enabled ?? false;
    if (was === enabled) return [];
    return [
      { ...step, type: `feature-environment-${enabled ? 'enabled' : 'disabled'}`, environment, was: null, is: null },
    ];
  });
}

function retitled(step: Step, before: Stored, after: Stored): readonly Wanted[] {
  return Object.entries(environmentsOf(after)).flatMap(([environment, { strategies }]) =>
    Object.entries<Stored>(strategies ?? {}).flatMap(([key, { title }]) => {
      const old = environmentsOf(before)[environment]?.strategies?.[key]?.title;
      if (old === title) return [];
      const [was, is] = [contentOf({ title: old }), contentOf({ title })];
      return [{ ...step, type: 'feature-strategy-update', environment, was, is }];
    }),
  );
}

function stepOf(before: Stored | undefined, after: Stored): Step {
  const { metadata } = after;
  return {
    uid: metadata.uid,
    from: before?.metadata.resourceVersion ?? '',
    to: metadata.resourceVersion,
    by: authorOf(metadata),
  };
}

/** The author policy and the API stamp the author on each version. Callers without authentication have no name. */
function authorOf({ annotations = {} }: Stored): string {
  return annotations['vexil.dev/changed-by'] ?? 'not noted';
}

function deleterOf({ metadata: { annotations = {} } }: Stored): string {
  return annotations['vexil.dev/deleted-by'] ?? 'unknown';
}
