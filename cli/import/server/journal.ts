/** The flags that were read so far, in a file, so that an interrupted reading goes on where it ended. */
import { readFile, rm } from 'node:fs/promises';
import { isRecord, readJson } from '../../../src/model/json.ts';
import { InputError } from '../../failure.ts';
import { entryKindAt } from '../../files/entry-kind.ts';
import { openPrivateFile } from '../../files/private-file.ts';
import type { WireFlag } from './shapes.ts';

export interface ReadFlag {
  readonly project: string;
  readonly flag: WireFlag;
  readonly tags: readonly { readonly type: string; readonly value: string }[];
}

export interface Journal {
  /** The number of flags that an earlier reading has left. */
  readonly size: number;
  known(name: string): ReadFlag | undefined;
  add(name: string, flag: ReadFlag): Promise<void>;
  close(): Promise<void>;
  /** Called when the reading is complete. */
  remove(): Promise<void>;
}

interface JournalOptions {
  readonly file: string;
  /** Flags of another server do not count. */
  readonly address: string;
  /** Ms since 1970. */
  readonly now: number;
}

/** Flags change: an older reading starts anew. */
const VALID_MS = 3_600_000;

/** Throws an InputError if the file cannot be written. */
export async function openJournal({ file, address, now }: JournalOptions): Promise<Journal> {
  // A user who can write to the folder may have put a link there.
  const kind = await entryKindAt(file);
  if (kind !== undefined && kind !== 'file') throw new InputError(`cannot write ${file}: it is a ${kind}. Remove it`);
  const lines = await linesOf(file);
  const [head] = lines;
  const isOurs = isRecord(head) && head['address'] === address && isRecent(now - Number(head['startedAt']));
  const known = new Map(isOurs ? lines.slice(1).flatMap(entryOf) : []);
  const handle = await openPrivateFile(file, isOurs ? 'a' : 'w');
  // The last line of an interrupted reading may be incomplete.
  await handle.write(isOurs ? '\n' : `${JSON.stringify({ address, startedAt: now })}\n`);
  return {
    size: known.size,
    known: (name) => known.get(name),
    async add(name, flag) {
      if (known.has(name)) return;
      await handle.write(`${JSON.stringify({ name, flag })}\n`);
    },
    close: () => handle.close(),
    async remove() {
      await handle.close();
      await rm(file, { force: true });
    },
  };
}

function isRecent(ageMs: number): boolean {
  return ageMs >= 0 && ageMs < VALID_MS;
}

function entryOf(line: unknown): [string, ReadFlag][] {
  if (!isRecord(line) || typeof line['name'] !== 'string' || !isRecord(line['flag'])) return [];
  // Only `add` writes such lines.
  return [[line['name'], line['flag'] as unknown as ReadFlag]];
}

async function linesOf(file: string): Promise<readonly unknown[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .map(readJson)
    .filter((line) => line !== undefined);
}

/** For a reading without a folder. */
export const withoutJournal: Journal = {
  size: 0,
  known: () => undefined,
  add: async () => undefined,
  close: async () => undefined,
  remove: async () => undefined,
};
