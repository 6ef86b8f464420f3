/** Brings the versions of a scope up to its states: for an archive that an operator without versions has written. */

import { decides } from '../../schema/kinds.ts';
import type { Archive, Batch, Cursor, NewVersion, ObjectState } from '../archive/archive.ts';
import { contentOf, packContent } from '../archive/versions/content.ts';
import type { LastVersion, VersionPlace } from '../archive/versions/versions.ts';
import { generationIn } from './fingerprint.ts';

interface CatchingUp {
  readonly archive: Pick<Archive, 'commit' | 'knownIn' | 'lastVersionsIn' | 'states' | 'versionScopes'>;
  readonly place: VersionPlace;
  readonly cursor: Cursor;
  /** Called after each part, with the number of versions so far. */
  readonly onProgress: (versions: number) => void;
}

const STATES_PER_BATCH = 500;

/**
 * The states are the baseline of an archive that has no versions. If it has some, each state that differs came into
 * force at some time since they were complete. Returns the cursor, which each batch moves.
 */
export async function catchUpVersions({ archive, place, cursor, onProgress }: CatchingUp): Promise<Cursor> {
  if (!decides(place.resource)) return cursor;
  const known = (await archive.versionScopes()).find(({ scope }) => scope === cursor.scope);
  if (known?.revision === cursor.revision) return cursor;
  const { scope, version, era, movedAt } = cursor;
  const span = { earliestAt: known?.until ?? movedAt, fromAt: movedAt, several: known !== undefined };
  const last = await archive.lastVersionsIn(place);
  const uids = (await archive.knownIn(scope)).map(({ uid }) => uid);
  let [revision, count] = [cursor.revision, 0];
  const commit = async (versions: readonly NewVersion[], more: Partial<Batch> = {}) => {
    const facts = { scope, version, era, at: movedAt, after: revision };
    await archive.commit({ ...facts, states: [], gone: [], entries: [], versions, ...more });
    revision += 1;
    count += versions.length;
    onProgress(count);
  };
  for (let from = 0; from < uids.length; from += STATES_PER_BATCH) {
    const states = await archive.states(uids.slice(from, from + STATES_PER_BATCH));
    const versions = [...states.values()].filter((state) => differs(state, last.get(state.uid))).map(ofState);
    if (versions.length > 0) await commit(versions);
  }
  const present = new Set(uids);
  const gone = [...last].filter(([uid, one]) => one.digest !== undefined && !present.has(uid)).map(ofGone);
  await commit(gone, { completeSince: known?.since ?? movedAt });
  return { ...cursor, revision };

  function ofState({ uid, object, fingerprint }: ObjectState): NewVersion {
    return { uid, resource: place.resource, object, generation: generationIn(fingerprint), isDeleted: false, ...span };
  }

  function ofGone([uid, { namespace, name }]: readonly [string, LastVersion]): NewVersion {
    const object = JSON.stringify({ metadata: { namespace, name } });
    return { uid, resource: place.resource, object, generation: 0, isDeleted: true, ...span };
  }
}

function differs({ object }: ObjectState, last: LastVersion | undefined): boolean {
  return last?.digest !== packContent(contentOf(JSON.parse(object))).digest;
}
