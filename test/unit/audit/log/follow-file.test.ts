/** Files of the audit log: each complete line is read once, through rotations and restarts. */
import { appendFile, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogFile, type LogFile } from '../../../../src/audit/log/follow-file.ts';
import { systemClock } from '../../../../src/runtime/clock.ts';

let folder: string;
let path: string;
let taken: unknown[];
let positions: Map<string, number>;
let refusals: number;
let end: AbortController;
let running: Promise<void>;
let log: LogFile;

/** Lines of other groups are not parsed. */
const line = (id: string) => `${JSON.stringify({ auditID: id, group: 'vexil.dev' })}\n`;
const ids = () => taken.map((event) => (event as { auditID?: string } | undefined)?.auditID);

function start(): void {
  end = new AbortController();
  log = createLogFile({
    path,
    intake: {
      async take(events, where) {
        if (refusals > 0) {
          refusals -= 1;
          throw new Error('busy');
        }
        taken.push(...events);
        if (where) positions.set(where.position.file, where.position.position);
      },
    },
    positions: async () => new Map(positions),
    since: async () => 0,
    clock: systemClock,
    backoff: () => 10,
  });
  running = log.run(end.signal);
}

async function restart(): Promise<void> {
  end.abort();
  await running;
  start();
}

const caughtUp = () => log.caughtUp(end.signal);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-log-file-'));
  path = join(folder, 'audit.log');
  [taken, positions, refusals] = [[], new Map(), 0];
});
afterEach(async () => {
  end.abort();
  await running;
  await rm(folder, { recursive: true, force: true });
});

test('complete lines are read once, also after a restart', async () => {
  await writeFile(path, `${line('one')}${line('two')}${line('three').slice(0, 10)}`);
  start();
  await caughtUp();
  expect(ids()).toEqual(['one', 'two']);
  expect(log.failure).toBeUndefined();
  await appendFile(path, `${line('three').slice(10)}${line('four')}`);
  await restart();
  await caughtUp();
  expect(ids()).toEqual(['one', 'two', 'three', 'four']);
});

test('files that were rotated meanwhile are read on, the oldest first, compressed ones too', async () => {
  await writeFile(path, line('one'));
  start();
  await caughtUp();
  end.abort();
  await running;
  await appendFile(path, line('two'));
  await rename(path, join(folder, 'audit-2026-03-01T12-00-00.000.log'));
  await utimes(join(folder, 'audit-2026-03-01T12-00-00.000.log'), 1_000, 1_000);
  const packed = join(folder, 'audit-2026-03-01T13-00-00.000.log.gz');
  await writeFile(packed, gzipSync(`${line('three')}${line('four')}`));
  await utimes(packed, 2_000, 2_000);
  await writeFile(path, line('five'));
  await writeFile(join(folder, 'others.log'), line('never'));
  start();
  await caughtUp();
  expect(ids()).toEqual(['one', 'two', 'three', 'four', 'five']);
  await restart();
  await caughtUp();
  expect(ids()).toHaveLength(5);
});

test('a line that is no JSON or too long is skipped, and those after it are read', async () => {
  await writeFile(path, `${line('one')}vexil.dev {\n${'x'.repeat(5 * 1024 * 1024)}\n{"other":"group"}\n${line('two')}`);
  start();
  await caughtUp();
  expect(ids()).toEqual(['one', undefined, undefined, 'two']);
});

test('a file that is not there is a failure that passes', async () => {
  start();
  await caughtUp();
  expect(log.failure).toMatchObject({ code: 'ENOENT' });
  await writeFile(path, line('one'));
  await caughtUp();
  expect([ids(), log.failure]).toEqual([['one'], undefined]);
});

test('what the archive does not take is read again', async () => {
  await writeFile(path, line('one'));
  refusals = 1;
  start();
  await caughtUp();
  expect([ids(), refusals, log.failure]).toEqual([['one'], 0, undefined]);
});
