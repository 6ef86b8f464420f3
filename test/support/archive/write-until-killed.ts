/** Kills a process that writes into an archive. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { waitUntil } from '../control-plane/wait-until.ts';

const PROGRAM = resolve(import.meta.dirname, 'endless-writer.ts');
const ENOUGH = 40;

/** The keys of the entries that the process has reported as committed. */
export async function writeUntilKilled(archiveUrl: string): Promise<readonly string[]> {
  const writer = spawn(execPath, [PROGRAM, archiveUrl], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => writer.once('exit', done));
  const committed: string[] = [];
  createInterface({ input: writer.stdout }).on('line', (line) => committed.push(line));
  await waitUntil({ what: 'the writer has written' }, () => committed.length > ENOUGH);
  writer.kill('SIGKILL');
  await ended;
  return committed;
}
