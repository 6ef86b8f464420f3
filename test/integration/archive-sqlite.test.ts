import { spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execPath } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../scripts/tools/run-program.ts';
import type { Archive } from '../../src/audit/archive/archive.ts';
import { SEARCH_LIMITS } from '../../src/audit/archive/lanes.ts';
import { openArchive } from '../../src/audit/archive/open-archive.ts';
import { startSqliteThread } from '../../src/audit/archive/sqlite/sqlite-thread.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { aBatch, keysOf, record, streamed } from '../support/archive/gather.ts';
import { writeUntilKilled } from '../support/archive/write-until-killed.ts';

const folder = mkdtempSync(join(tmpdir(), 'vexil-archive-'));
const unavailable = expect.objectContaining({ code: 'unavailable' });
let count = 0;
let path: string;
let archive: Archive;

beforeEach(() => {
  count += 1;
  path = join(folder, String(count), 'history.db');
  mkdirSync(dirname(path));
  archive = openArchive(`sqlite:${path}`, { notice: () => {}, lockWaitMs: 200 });
  return () => archive.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Opens another connection, which holds the write lock. */
function lock(): DatabaseSync {
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  return other;
}

test('a statement that has ended leaves no listener on the signal of its caller', async () => {
  const thread = startSqliteThread({ path, readOnly: false, lockWaitMs: 200 });
  const { signal } = new AbortController();
  await thread.execute({ action: 'open' });
  for (const sql of ['select 1', 'select nothing']) {
    await thread.execute({ action: 'run', sql, parameters: [] }, signal).catch(() => undefined);
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  await thread.close();
});

describe('faults', () => {
  const hindrances: Readonly<Record<string, () => () => void>> = {
    'the folder is not there': () => {
      rmSync(dirname(path), { recursive: true });
      return () => mkdirSync(dirname(path));
    },
    'a folder is where the file should be': () => {
      mkdirSync(path);
      return () => rmSync(path, { recursive: true });
    },
    'the file is no database': () => {
      writeFileSync(path, 'not a database at all, but long enough to be taken for one'.repeat(100));
      return () => rmSync(path);
    },
    'another process has the lock of an empty database': () => {
      const other = lock();
      return () => other.close();
    },
  };
  test.each(Object.entries(hindrances))('if %s every call is unavailable, until that ends', async (_name, hinder) => {
    const stopHindering = hinder();
    await expect(archive.cursors()).rejects.toEqual(unavailable);
    await expect(archive.commit(aBatch())).rejects.toEqual(unavailable);
    await expect(streamed(archive)).rejects.toEqual(unavailable);
    stopHindering();
    await archive.commit(aBatch());
    expect(await archive.cursors()).toHaveLength(1);
  });

  test('a lock of another process delays writing for a bounded time, and searches not at all', async () => {
    await record(archive, [anEntry('a')]);
    const other = lock();
    await expect(record(archive, [anEntry('b')])).rejects.toEqual(unavailable);
    expect(await keysOf(archive)).toEqual(['a']);
    other.exec('rollback');
    other.close();
    await record(archive, [anEntry('b')]);
    expect(await keysOf(archive)).toEqual(['b', 'a']);
  });

  test('a lock that is released in time only causes a delay, and the process continues meanwhile', async () => {
    const patient = openArchive(`sqlite:${path}`, { notice: () => {}, lockWaitMs: 10_000 });
    await patient.cursors();
    const other = lock();
    const writing = record(patient, [anEntry('a')]);
    // The thread of the archive waits. This thread continues and releases the lock.
    for (let turn = 0; turn < 100; turn += 1) await new Promise((next) => setImmediate(next));
    other.exec('rollback');
    other.close();
    await writing;
    await patient.close();
  });
});

test('the command for backups in docs/operations.md copies an archive that is being written', async () => {
  await record(archive, [anEntry('recorded')]);
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const [, script = ''] = /node --eval '\n(.*?)\n' > audit\.db/s.exec(page) ?? [];
  const here = script.replace('/var/lib/vexil/audit.db', path).replace('/tmp/audit-backup.db', `${path}.copy`);
  const { code, stderr } = await runProgram(execPath, [
    '--eval',
    `${here.replace('process.stdout', `require("node:fs").createWriteStream("${path}.sent")`)}`,
  ]);
  expect([code, stderr]).toEqual([0, '']);
  await record(archive, [anEntry('recorded later')]);
  const backup = openArchive(`sqlite:${path}.sent`, { notice: () => {} });
  expect(await keysOf(backup)).toEqual(['recorded']);
  expect(await backup.cursors()).toMatchObject([{ revision: 1 }]);
  await backup.close();
  expect(existsSync(`${path}.copy`)).toBe(false);
});

test('a committed batch survives the end of the process', async () => {
  const said = await writeUntilKilled(`sqlite:${path}`);
  // The writer may have written more entries than `keysOf` reads otherwise.
  const found = await keysOf(archive, {}, 0, 1_000_000);
  expect(said.filter((key) => !found.includes(key))).toEqual([]);
  // The archive has both entries of a batch or none.
  expect(found.filter((key) => key.startsWith('k'))).toHaveLength(found.length / 2);
  expect((await archive.search({ text: 'checkout' }, { offset: 0, limit: 1 })).total).toBe(found.length);
  expect(await archive.cursors()).toMatchObject([{ revision: found.length / 2 }]);
});

test('only the user of the operator may read the files', async () => {
  await record(archive, [anEntry('a')]);
  const modes = [path, `${path}-wal`, `${path}-shm`].map((file) => (statSync(file).mode & 0o777).toString(8));
  expect(modes).toEqual(['600', '600', '600']);
});

test('the size is that of the files, and space that pruned entries free can be used again', async () => {
  await record(
    archive,
    Array.from({ length: 200 }, (_, index) => anEntry(`${index}`, { data: { text: `${index} `.repeat(500) } })),
  );
  const { bytes, availableBytes } = await archive.size();
  expect(bytes).toBe(statSync(path).size + statSync(`${path}-wal`).size);
  expect(availableBytes).toBeGreaterThan(0);
  const free = () => {
    const other = new DatabaseSync(path);
    const row = other.prepare('pragma freelist_count').get();
    other.close();
    return Number(row?.['freelist_count']);
  };
  expect(free()).toBe(0);
  await archive.settle(
    (await archive.unpublished(200)).map(({ id }) => id),
    'published',
  );
  await archive.prune(2_000, 200);
  expect(free()).toBeGreaterThan(0);
});

test('a search that is running when its archive is closed leaves no file open', async () => {
  const limits = { ...SEARCH_LIMITS, shortMs: 0 };
  const other = openArchive(`sqlite:${path}`, { notice: () => {}, limits });
  await record(other, [anEntry('a')]);
  const searching = other.search({ text: 'checkout' }, { offset: 0, limit: 1 });
  await Promise.all([other.close(), searching.catch(() => undefined)]);
  expect(readdirSync(dirname(path))).toEqual(['history.db']);
});

test('a program that has closed its archive ends', async () => {
  const source = `import { openArchive } from ${JSON.stringify(resolve('src/audit/archive/open-archive.ts'))};
    const archive = openArchive(${JSON.stringify(`sqlite:${path}`)}, { notice() {} });
    await archive.cursors();
    await archive.close();`;
  const program = spawn(execPath, ['--input-type=module', '--eval', source], { stdio: 'inherit' });
  const end = await new Promise((done) => program.once('exit', (code) => done(code)));
  expect(end).toBe(0);
});
