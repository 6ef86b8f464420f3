/** Forgets a person in the archive, in bounded steps that can be repeated. */
import { sql } from 'kysely';
import type { Entry, NewEntry } from '../../../domain/history/entry.ts';
import { createForgetter, type PersonNames } from '../../../domain/history/forgetter.ts';
import { pruneAuthors } from '../authors.ts';
import { holdChain } from '../chain/amend.ts';
import { fromRow, publications } from '../entry-rows.ts';
import { fold } from '../fold.ts';
import type { Connected } from '../reconnect.ts';
import { isAmong } from '../sql.ts';
import { storeEntries } from '../store-entries.ts';
import type { DatabaseKind, Db } from '../tables.ts';
import { cleanFile, cleanIndex } from './clean-file.ts';
import { forgetInEntries } from './forget-entries.ts';
import { forgetInStates } from './forget-states.ts';
import { forgetInVersions } from './forget-versions.ts';
import { forgetInWitnesses } from './forget-witnesses.ts';
import { type ForgettingStep, type StepResult, writeRows } from './forgetting-step.ts';
import { personNames, type WantedPerson } from './person-names.ts';

/** The parts of the archive, in the order in which a person is forgotten in them. */
export const archiveParts = ['entries', 'witnesses', 'versions', 'states', 'index'] as const;
type ArchivePart = (typeof archiveParts)[number];

/** A person that is being forgotten. */
export interface Forgotten extends PersonNames {
  readonly user: string;
  readonly pseudonym: string;
}

export interface ForgottenCounts {
  readonly entries: number;
  readonly versions: number;
  readonly events: number;
}

interface PartOfWork {
  readonly part: ArchivePart;
  /** Where the step begins: empty, or the `next` of the one before. */
  readonly from: string;
  readonly isDryRun: boolean;
  /** Ms since 1970. */
  readonly at: number;
}

export interface ForgettingArchive {
  /** What the person is called, as far as the archive knows. */
  namesOf(person: WantedPerson): Promise<PersonNames>;
  /** Begins a forgetting, or goes on with one that was interrupted: then with its pseudonym. */
  begin(person: WantedPerson, newPseudonym: string): Promise<Forgotten>;
  step(person: PersonNames & { readonly pseudonym: string }, work: PartOfWork): Promise<StepResult>;
  /** The entries with these keys, in the order of their ids. */
  entriesOf(keys: readonly string[]): Promise<readonly Entry[]>;
  countEvents(pseudonym: string, events: number): Promise<void>;
  /** Ends the forgetting with its entry. From then on nothing says who had the pseudonym. */
  end(pseudonym: string, entryOf: (counts: ForgottenCounts) => NewEntry): Promise<void>;
  /** Removes earlier pages of the database from its files, after the end; false: a search keeps them for a moment. */
  cleanFile(): Promise<boolean>;
}

export function forgettingIn(connected: Connected): ForgettingArchive {
  return {
    namesOf: (person) => connected.read((db) => personNames(db, person)),
    begin: (person, pseudonym) => connected.write((db) => beginForgetting(db, person, pseudonym)),
    step: (person, work) => connected.write((db, kind) => runStep({ db, kind }, person, work)),
    entriesOf: (keys) => connected.read((db, kind) => readEntries(db, kind, keys)),
    async countEvents(pseudonym, events) {
      await connected.write((db) => addCounts(db, pseudonym, { events }));
    },
    end: (pseudonym, entryOf) => connected.write((db, kind) => endForgetting({ db, kind }, pseudonym, entryOf)),
    cleanFile: () => connected.read(cleanFile),
  };
}

async function beginForgetting(db: Db, person: WantedPerson, newPseudonym: string): Promise<Forgotten> {
  const rows = await db.selectFrom('forgettings').select(['pseudonym', 'names']).execute();
  const begun = rows
    .map(({ pseudonym, names }) => ({ ...(JSON.parse(names) as Omit<Forgotten, 'pseudonym'>), pseudonym }))
    .find(({ user }) => fold(user) === fold(person.user));
  const found = await personNames(db, person);
  const { pseudonym } = begun ?? { pseudonym: newPseudonym };
  // The FlagUser of an interrupted forgetting has the pseudonym in its entries already.
  const { words, ids } = begun ?? { words: [], ids: [] };
  const merged = { words: [...new Set([...words, ...found.words])], ids: [...new Set([...ids, ...found.ids])] };
  const forgotten = { user: person.user, ...merged };
  const names = JSON.stringify({ ...forgotten, words: merged.words.filter((word) => word !== pseudonym) });
  await db
    .insertInto('forgettings')
    .values({ pseudonym, names, entries: 0, versions: 0, events: 0 })
    .onConflict((conflict) => conflict.column('pseudonym').doUpdateSet({ names }))
    .execute();
  return { ...(JSON.parse(names) as typeof forgotten), pseudonym };
}

type Database = Pick<ForgettingStep, 'db' | 'kind'>;

/** A batch moves its cursor first: while all are locked, none is being stored whose ids could be passed over. */
async function runStep(
  { db, kind }: Database,
  person: PersonNames & { readonly pseudonym: string },
  { part, from, ...how }: PartOfWork,
): Promise<StepResult> {
  if (kind === 'postgres') await sql`select scope from cursors order by scope for update`.execute(db);
  const step = { db, kind, forgetter: createForgetter(person, person.pseudonym), ...how };
  if (!how.isDryRun) await holdChain(db, kind);
  switch (part) {
    case 'entries':
      return counted(step, 'entries', await forgetInEntries(step, from));
    case 'witnesses':
      return forgetInWitnesses(step, from);
    case 'versions':
      return counted(step, 'versions', await forgetInVersions(step, from));
    case 'states':
      return forgetInStates(step, from);
    default:
      await pruneAuthors(db);
      return cleanIndex(step, from);
  }
}

async function counted(step: ForgettingStep, column: 'entries' | 'versions', result: StepResult): Promise<StepResult> {
  if (!step.isDryRun) await addCounts(step.db, step.forgetter.pseudonym, { [column]: result.found });
  return result;
}

async function addCounts(db: Db, pseudonym: string, more: Partial<ForgottenCounts>): Promise<void> {
  const { entries = 0, versions = 0, events = 0 } = more;
  await sql`update forgettings set entries = entries + ${entries}, versions = versions + ${versions},
    events = events + ${events} where pseudonym = ${pseudonym}`.execute(db);
}

async function readEntries(db: Db, kind: DatabaseKind, keys: readonly string[]): Promise<readonly Entry[]> {
  const rows = await db
    .selectFrom('entries')
    .selectAll()
    .where(isAmong(kind, 'key', keys))
    .orderBy('id')
    .execute();
  return rows.map(fromRow);
}

/**
 * The one who deletes the row writes the entry, if two end the same forgetting. Readers in the order of ids
 * wait for it, as for batches, which write to the cursors.
 */
async function endForgetting(
  { db, kind }: Database,
  pseudonym: string,
  entryOf: (counts: ForgottenCounts) => NewEntry,
): Promise<void> {
  if (kind === 'postgres') await sql`lock table cursors in row exclusive mode`.execute(db);
  const counts = await db
    .deleteFrom('forgettings')
    .where('pseudonym', '=', pseudonym)
    .returning(['entries', 'versions', 'events'])
    .executeTakeFirst();
  if (counts === undefined) return;
  const script = storeEntries({ kind, publication: publications.waiting }, [entryOf(counts)]);
  for (const step of script) await writeRows({ db, kind }, step);
}
