/**
 * Runs a program under a memory limit as the kubelet sets it for a container. Node.js chooses the size of its heap by
 * the limit.
 */
import { chmod, mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Undo } from './run-bench.ts';

/** The paths of version 1 and of version 2 of control groups. */
const PLACES = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max' },
] as const;

/** Reads the value of a command line option, in MiB. */
export function readMemory(text: string | undefined): number | undefined {
  if (text !== undefined && !/^[1-9]\d{1,4}$/.test(text))
    throw new Error(`--memory must be from 10 to 99999, not ${text}`);
  return text === undefined ? undefined : Number(text);
}

/** Returns the program to run instead of Node.js. Throws if this user may not create control groups. */
export async function nodeWithin(mebibytes: number, undoLater: (undo: Undo) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-memory-'));
  undoLater(() => rm(folder, { recursive: true }));
  const group = await makeGroup(basename(folder), mebibytes * 2 ** 20);
  undoLater(() => rmdir(group));
  const program = join(folder, 'node');
  await writeFile(program, `#!/bin/sh\necho $$ > ${group}/cgroup.procs && exec ${process.execPath} "$@"\n`);
  await chmod(program, 0o755);
  return program;
}

async function makeGroup(name: string, bytes: number): Promise<string> {
  const failures: unknown[] = [];
  for (const { root, limit } of PLACES) {
    const group = join(root, name);
    try {
      await mkdir(group);
      await writeFile(join(group, limit), `${bytes}`);
      return group;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, 'no limit of memory can be set here: it takes root, and control groups of memory');
}
