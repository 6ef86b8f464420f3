/** Follows a file of the audit log of the API server, with the files that it was rotated to. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Clock, pause } from '../../model/clock.ts';
import { GROUP } from '../../model/kind.ts';
import { createNotifier } from '../record/notifier.ts';
import type { Intake } from './intake.ts';

export interface LogFileParts {
  readonly path: string;
  readonly intake: Intake;
  /** How far each file was read, by its fingerprint. */
  readonly positions: () => Promise<ReadonlyMap<string, number>>;
  /** Writes that were answered before this time, in ms since 1970, are recorded. */
  readonly since: () => Promise<number>;
  readonly clock: Clock;
  readonly backoff: (failures: number) => number;
}

export interface LogFile {
  /** Follows until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves once everything that is in the files now is stored, or they could not be read. */
  caughtUp(signal: AbortSignal): Promise<void>;
  /** Why the file cannot be read; undefined: it can. */
  readonly failure: unknown;
}

const LOOK_EVERY_MS = 1_000;
/** A longer line is skipped. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
/** Lines stored at once, and their bytes. */
const MAX_LINES = 500;
const MAX_BYTES = 4 * 1024 * 1024;
/** The id of an audit event is near the beginning of its line. */
const FINGERPRINT_BYTES = 1_024;
const NEWLINE = 0x0a;

export function createLogFile(parts: LogFileParts): LogFile {
  const roundEnded = createNotifier();
  /** The state of each file when it was last read to its end. */
  const read = new Map<string, string>();
  let rounds = 0;
  let isReading = false;
  let failure: unknown = new Error('The file was not read yet');

  async function readAll(signal: AbortSignal): Promise<void> {
    isReading = true;
    const [positions, since] = await Promise.all([parts.positions(), parts.since()]);
    for (const path of await filesOf(parts.path)) {
      const { ino, size, mtimeMs } = await stat(path);
      const state = `${size} ${mtimeMs}`;
      if (read.get(`${ino}`) === state) continue;
      await readOn(parts, { path, positions, since }, signal);
      read.set(`${ino}`, state);
    }
    // The file that is written must be there: others are its past.
    await stat(parts.path);
  }

  /** Returns the number of failures in a row. */
  async function tryRead(failures: number, signal: AbortSignal): Promise<number> {
    try {
      await readAll(signal);
      failure = undefined;
      return 0;
    } catch (error) {
      failure = error;
      return failures + 1;
    } finally {
      isReading = false;
      rounds += 1;
      roundEnded.notify();
    }
  }

  return {
    async run(signal) {
      for (let failures = 0; !signal.aborted; ) {
        failures = await tryRead(failures, signal);
        await pause(parts.clock, failures > 0 ? parts.backoff(failures) : LOOK_EVERY_MS, signal);
      }
      roundEnded.notify();
    },
    async caughtUp(signal) {
      const wanted = rounds + (isReading ? 2 : 1);
      while (rounds < wanted && !signal.aborted) await roundEnded.notified();
    },
    get failure() {
      return failure;
    },
  };
}

/** The oldest first, by the time of their last write: `audit-2026-03-01T12-00-00.000.log`, `audit.log.1`, `….gz`. */
async function filesOf(path: string): Promise<readonly string[]> {
  const [folder, name] = [dirname(path), basename(path)];
  const stem = name.slice(0, name.length - extname(name).length);
  const isRotated = (one: string) => {
    const plain = one.endsWith('.gz') ? one.slice(0, -'.gz'.length) : one;
    return plain.startsWith(`${name}.`) || (plain.startsWith(`${stem}-`) && extname(plain) === extname(name));
  };
  const rotated = (await readdir(folder)).filter(isRotated).map((one) => join(folder, one));
  const dated = await Promise.all(rotated.map(async (one) => ({ one, at: (await stat(one)).mtimeMs })));
  return [...dated.toSorted((a, b) => a.at - b.at).map(({ one }) => one), path];
}

interface FollowState {
  readonly path: string;
  readonly positions: ReadonlyMap<string, number>;
  readonly since: number;
}

/** Stores the lines of one file from its position on. */
async function readOn(parts: LogFileParts, reading: FollowState, signal: AbortSignal): Promise<void> {
  const { path, positions, since } = reading;
  const file = await fingerprintOf(path);
  if (file === undefined) return;
  const lines = linesOf(path, positions.get(file) ?? 0, signal);
  let events: unknown[] = [];
  let bytes = 0;
  let position: number | undefined;
  const store = async () => {
    if (position !== undefined) await parts.intake.take(events, { position: { file, position }, since });
    [events, bytes, position] = [[], 0, undefined];
  };
  for await (const line of lines) {
    position = line.end;
    bytes += line.text?.length ?? 0;
    if (line.text === undefined || line.text.includes(GROUP)) events.push(parsed(line.text));
    if (events.length >= MAX_LINES || bytes >= MAX_BYTES) await store();
  }
  await store();
}

/** Undefined counts as unreadable. */
function parsed(text: Buffer | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Undefined: the first line is not complete yet. */
async function fingerprintOf(path: string): Promise<string | undefined> {
  const beginning = await beginningOf(path);
  const end = beginning.indexOf(NEWLINE);
  if (end === -1 && beginning.length < FINGERPRINT_BYTES) return undefined;
  return createHash('sha256')
    .update(end === -1 ? beginning : beginning.subarray(0, end))
    .digest('hex');
}

async function beginningOf(path: string): Promise<Buffer> {
  if (path.endsWith('.gz')) {
    for await (const chunk of contentOf(path, 0)) return (chunk as Buffer).subarray(0, FINGERPRINT_BYTES);
    return Buffer.alloc(0);
  }
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FINGERPRINT_BYTES), 0, FINGERPRINT_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The content from a position on; a compressed file is read from its beginning. */
function contentOf(path: string, position: number): Readable {
  if (!path.endsWith('.gz')) return createReadStream(path, { start: position });
  const content = createGunzip();
  createReadStream(path)
    .on('error', (error) => content.destroy(error))
    .pipe(content);
  return content;
}

interface Line {
  /** Undefined: the line is too long. */
  readonly text: Buffer | undefined;
  /** The position after the line. */
  readonly end: number;
}

/** Complete lines only: the last one may still be written. */
async function* linesOf(path: string, from: number, signal: AbortSignal): AsyncIterable<Line> {
  const splitter = createSplitter(path.endsWith('.gz') ? 0 : from);
  for await (const chunk of contentOf(path, from) as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    for (const line of splitter(chunk)) if (line.end > from) yield line;
  }
}

/** Splits a content that begins at a position. */
function createSplitter(start: number): (chunk: Buffer) => Iterable<Line> {
  let at = start;
  let pending: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer) => {
    length += part.length;
    pending = length <= MAX_LINE_BYTES ? [...pending, part] : [];
  };
  const take = (): Line => {
    at += length + 1;
    const text = length > MAX_LINE_BYTES ? undefined : Buffer.concat(pending);
    [pending, length] = [[], 0];
    return { text, end: at };
  };
  return function* split(chunk) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, begin)) {
      add(chunk.subarray(begin, end));
      begin = end + 1;
      yield take();
    }
    add(chunk.subarray(begin));
  };
}
