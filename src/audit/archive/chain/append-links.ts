/** Adds links to the chain. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import {
  type ChainPlace,
  chained,
  digestOfText,
  type LinkKind,
  type NewLink,
  saltedDigest,
} from '../../../domain/history/chain.ts';
import { canonicalJson, type JsonObject } from '../../../model/json.ts';
import { defineStatement, defineUpdate, type Script, stepOf } from '../statement.ts';
import type { Db } from '../tables.ts';
import { entryContents, type RowContent, versionContents } from './row-contents.ts';

/** Rows of each kind in one transaction. */
export const LINKS_PER_BATCH = 500;
const SALT_BYTES = 16;

const moveChain = defineStatement(
  { known: 'bigint', known_link: 'text', n: 'bigint', link: 'text' },
  (source) => `update chain set n = r.n, link = r.link
    from ${source} where chain.id = 1 and chain.n = r.known and chain.link = r.known_link`,
);

const linkTypes = {
  ...({ n: 'bigint', kind: 'text', ref: 'bigint', at: 'bigint', salt: 'text' } as const),
  ...({ digest: 'text', link: 'text', content: 'text' } as const),
};
const linkColumns = Object.keys(linkTypes);

const insertLinks = defineStatement(
  linkTypes,
  (source) => `insert into links (${linkColumns}) select ${linkColumns.map((column) => `r.${column}`)} from ${source}`,
);

const markIn = (table: 'entries' | 'versions') =>
  defineUpdate(
    table,
    { id: 'bigint' },
    (source) => `update ${table} set linked = 1 from ${source} where ${table}.id = r.id`,
  );
const markEntries = markIn('entries');
const markVersions = markIn('versions');

const MOVED = 'The chain of the history has moved since it was read: another replica adds links';

/**
 * Adds these links. The chain is moved first, and only from `last`: of two writers the second one waits for the first,
 * and then finds it moved.
 */
function appendLinks(last: ChainPlace, links: readonly NewLink[]): Script {
  const added = chained(last, links);
  const { n, link } = added.at(-1) ?? last;
  return [
    stepOf(moveChain, [{ known: last.n, known_link: last.link, n, link }], MOVED),
    stepOf(
      insertLinks,
      added.map((one) => ({ ...one })),
    ),
  ];
}

/** Adds a link for each of these rows. */
export function linkRows(last: ChainPlace, rows: readonly RowContent[]): Script {
  const ids = (kind: LinkKind) => rows.filter((row) => row.kind === kind).map(({ ref }) => ({ id: ref }));
  return [
    ...appendLinks(last, rows.map(linkOfRow)),
    stepOf(markEntries, ids('entry')),
    stepOf(markVersions, ids('version')),
  ];
}

export function newSalt(): string {
  return randomBytes(SALT_BYTES).toString('hex');
}

function linkOfRow({ kind, ref, at, content }: RowContent): NewLink {
  const salt = newSalt();
  return { kind, ref, at, salt, digest: saltedDigest(salt, content), content: null };
}

/** A link that is about no single row. */
export function statement(kind: LinkKind, at: number, content: JsonObject): NewLink {
  const text = canonicalJson(content);
  const salt = newSalt();
  return { kind, ref: 0, at, salt, digest: digestOfText(salt, text), content: text };
}

export async function readChainPlace(db: Db): Promise<ChainPlace> {
  return db.selectFrom('chain').select(['n', 'link']).where('id', '=', 1).executeTakeFirstOrThrow();
}

const unlinked = sql`linked = 0`;

/** Rows without a link, of each kind the oldest first. */
export async function readUnlinked(db: Db): Promise<readonly RowContent[]> {
  const entries = await entryContents(db, unlinked, LINKS_PER_BATCH);
  return [...entries, ...(await versionContents(db, unlinked, LINKS_PER_BATCH))];
}
