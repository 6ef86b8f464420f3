/** Stores signed heads of the chain, and compares the chain with them. */
import { sql } from 'kysely';
import type { ChainPlace } from '../../../domain/history/chain.ts';
import type { SignedHead } from '../../../domain/history/signed-head.ts';
import type { Connected } from '../reconnect.ts';
import type { Db } from '../tables.ts';
import { readChainPlace } from './append-links.ts';
import type { HeadPage, HeadState, HeadStore } from './head-store.ts';
import { lastRetention } from './retention-link.ts';

const columns = ['n', 'link', 'at', 'key', 'signature'] as const;

export function createHeadStore(connected: Connected): HeadStore {
  return {
    state: (remembered) => connected.read((db) => readState(db, remembered)),
    async store(head) {
      // A head of the same link that an earlier leader has stored is as good.
      await connected.write((db) =>
        db
          .insertInto('heads')
          .values({ ...head, published: 0 })
          .onConflict((conflict) => conflict.column('n').doNothing())
          .execute(),
      );
    },
    unpublished: (limit) =>
      connected.read((db) =>
        db.selectFrom('heads').select(columns).where('published', '=', sql.lit(0)).orderBy('n').limit(limit).execute(),
      ),
    async settle({ n }) {
      await connected.write((db) => db.updateTable('heads').set({ published: 1 }).where('n', '=', n).execute());
    },
    list: (page, signal) => connected.search(signal, (db) => readHeads(db, page)),
  };
}

async function readState(db: Db, remembered: ChainPlace | undefined): Promise<HeadState> {
  const last = await readChainPlace(db);
  const signed = await db.selectFrom('heads').select(columns).orderBy('n', 'desc').limit(1).executeTakeFirst();
  for (const head of [signed, remembered]) {
    if (head !== undefined && !(await hasLink(db, head))) return { last, signed, lost: head };
  }
  return { last, signed, lost: undefined };
}

/** A link that was dropped with everything before it says nothing any more. */
async function hasLink(db: Db, { n, link }: ChainPlace): Promise<boolean> {
  const found = await db.selectFrom('links').select('link').where('n', '=', n).executeTakeFirst();
  if (found !== undefined) return found.link === link;
  const { from = 1, previous } = (await lastRetention(db)) ?? {};
  return n < from - 1 || (n === from - 1 && previous === link);
}

export async function readHeads(db: Db, { after, limit }: HeadPage): Promise<readonly SignedHead[]> {
  return db.selectFrom('heads').select(columns).where('n', '>', after).orderBy('n').limit(limit).execute();
}

/** Heads that the chain has not reached: its end was cut off. */
export async function readHeadsBeyond(db: Db, limit: number): Promise<readonly SignedHead[]> {
  return db
    .selectFrom('heads')
    .select(columns)
    .where('n', '>', (chain) => chain.selectFrom('chain').select('chain.n').where('id', '=', 1))
    .orderBy('n')
    .limit(limit)
    .execute();
}
