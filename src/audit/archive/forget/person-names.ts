/** Gathers what a person is called: in the request, in its FlagUsers, and in their earlier versions. */
import { sql } from 'kysely';
import { type PersonNames, refusalToForget } from '../../../domain/history/forgetter.ts';
import { isRecord, readJson, recordOf, recordsIn } from '../../../model/json.ts';
import { flagUser } from '../../../schema/flag-user.ts';
import { fold } from '../fold.ts';
import { ownerOf } from '../names.ts';
import type { Db } from '../tables.ts';

export interface WantedPerson {
  readonly user: string;
  readonly emails: readonly string[];
}

interface RecordedNames {
  readonly words: Set<string>;
  readonly ids: Set<number>;
}

const ROWS_PER_STATEMENT = 500;

export async function personNames(db: Db, { user, emails }: WantedPerson): Promise<PersonNames> {
  const asked = [user, ...emails];
  const users = new Map<string, RecordedNames>();
  await readRecordedUsers(db, users);
  await readPresentUsers(db, users);
  const wanted = new Set(asked.map(fold));
  const same = [...users.values()].filter(({ words }) => [...words].some((word) => wanted.has(fold(word))));
  const ids = [...new Set(same.flatMap((one) => [...one.ids]))];
  const words = [...asked, ...same.flatMap((one) => [...one.words]), ...(await authorNames(db, ids))];
  return { words: [...new Set(words)].filter((word) => refusalToForget(word) === undefined), ids };
}

/** The FlagUsers of entries, by uid. */
async function readRecordedUsers(db: Db, users: Map<string, RecordedNames>): Promise<void> {
  const owner = ownerOf({ namespace: '', project: null, resource: flagUser.plural, featureName: null });
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number; uid: string; object: string; data: string | null; pre: string | null }>`
      select e.id, e.uid, e.object, e.data, e.pre_data as pre from facets as f join entries as e on e.id = f.id
      where f.owner = (select id from names where name = ${owner}) and f.id > ${after}
      order by f.id limit ${ROWS_PER_STATEMENT}`.execute(db);
    for (const { uid, object, data, pre } of rows) {
      const known = knownOf(users, uid);
      addTo(known, object);
      take(known, readJson(data ?? ''));
      take(known, readJson(pre ?? ''));
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function readPresentUsers(db: Db, users: Map<string, RecordedNames>): Promise<void> {
  const rows = await db
    .selectFrom('states')
    .select(['uid', 'object'])
    .where('scope', 'like', `${flagUser.plural}/%`)
    .execute();
  for (const { uid, object } of rows) takeObject(knownOf(users, uid), readJson(object));
}

function takeObject(known: RecordedNames, object: unknown): void {
  const { metadata, spec, status } = recordOf(object);
  const { subjects, ...fields } = recordOf(spec);
  take(known, { ...fields, id: recordOf(status)['id'] });
  addTo(known, recordOf(metadata)['name']);
  for (const { kind, name } of recordsIn(subjects)) {
    if (kind === 'User') addTo(known, name);
  }
}

function knownOf(users: Map<string, RecordedNames>, uid: string): RecordedNames {
  const known = users.get(uid) ?? { words: new Set(), ids: new Set() };
  users.set(uid, known);
  return known;
}

/** The members of a FlagUser in the history and in its spec. */
function take(known: RecordedNames, user: unknown): void {
  if (!isRecord(user)) return;
  for (const key of ['username', 'email', 'name', 'displayName', 'imageUrl']) addTo(known, user[key]);
  const { id } = user;
  if (typeof id === 'number' && id > 0) known.ids.add(id);
}

function addTo({ words }: RecordedNames, word: unknown): void {
  if (typeof word === 'string' && word !== '') words.add(word);
}

/** What the authors with these ids are called in entries. */
async function authorNames(db: Db, ids: readonly number[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ folded: string }>`
    select a.folded from authors as a where a.id in (
      select d.author from facets as f join authored as d on d.id = f.id
      where f.created_by in (${sql.raw(ids.join(', '))}))`.execute(db);
  return rows.map(({ folded }) => folded);
}
