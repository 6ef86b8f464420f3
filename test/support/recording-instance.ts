/** A running instance whose history the test writes itself, without the operator. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openArchive } from '../../src/audit/archive/open-archive.ts';
import type { NewEntry } from '../../src/domain/history/entry.ts';
import { anEntry } from './archive/an-entry.ts';
import { type Instance, startInstance } from './instance.ts';

export interface RecordingInstance extends Instance {
  /** Puts entries about flags of the operator namespace into the archive in this order, each with its own key. */
  report(...entries: readonly Partial<NewEntry>[]): Promise<void>;
  readonly archiveFile: string;
}

let recorded = 0;

export async function startRecordingInstance(
  prefix: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RecordingInstance> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-recorded-'));
  const archiveFile = join(folder, 'audit.db');
  const url = `sqlite:${archiveFile}`;
  // The operator writes to the file too.
  const archive = openArchive(url, { notice: () => undefined, lockWaitMs: 60_000 });
  // Entries of a test may have any age.
  const own = { VEXIL_AUDIT_URL: url, VEXIL_AUDIT_RETENTION: 'off' };
  const instance = await startInstance(prefix, { settings: { ...own, ...settings } });
  return {
    ...instance,
    archiveFile,
    async report(...entries) {
      const whole = entries.map((entry) => {
        recorded += 1;
        return anEntry(`recorded-${recorded}`, { namespace: instance.home, ...entry });
      });
      await archive.restore(whole);
    },
    async stop() {
      await instance.stop();
      await archive.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
