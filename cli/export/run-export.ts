/** `vexil export`: writes the flags of a cluster to files. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterOptions, OutputOptions, ServerOptions } from '../connection/options.ts';
import { Failure } from '../failure.ts';
import { type Written, writeManifestFiles } from '../files/manifest-file.ts';
import { plural } from '../plural.ts';
import { EXIT, jsonText, type Terminal } from '../terminal.ts';
import type { ExportedFlags } from './exported-flags.ts';
import { filesWithoutFlag } from './files-without-flag.ts';
import { flagsOfCluster } from './flags-of-cluster.ts';
import { flagsOfServer, type OwnedBy } from './flags-of-server.ts';

export interface ExportOptions extends ClusterOptions, ServerOptions, OutputOptions {
  readonly to: string;
  readonly ownedBy?: OwnedBy;
  readonly prune: boolean;
}

export async function runExport(options: ExportOptions, terminal: Terminal): Promise<void> {
  const { to, prune, output } = options;
  const { files, namespace, notes } = await flagsOf(options, terminal);
  const { written, unchanged } = await writeManifestFiles(to, files, { overwrite: true });
  const removed = await filesWithoutFlag(to, new Set(files.map(({ path }) => path)), namespace);
  if (prune) await Promise.all(removed.map((path) => rm(join(to, path))));
  for (const note of notes) terminal.writeError(`note: ${note}\n`);
  const report: ExportReport = { written, unchanged, removed, pruned: prune };
  terminal.write(output === 'json' ? jsonText({ ...report, notes }) : textOf(report, to));
}

function flagsOf(options: ExportOptions, terminal: Terminal): Promise<ExportedFlags> {
  const { ownedBy, prune } = options;
  if (ownedBy === undefined) return flagsOfCluster(options, terminal);
  // The server leaves out flags that the caller may not read, so --prune would delete their files.
  if (prune) throw new Failure('--prune needs all flags: leave out --owned-by', EXIT.usage);
  return flagsOfServer(options, ownedBy, terminal);
}

interface ExportReport extends Written {
  /** The paths of files whose flags are not exported; the files are deleted if `pruned` is true. */
  readonly removed: readonly string[];
  readonly pruned: boolean;
}

function textOf({ written, unchanged, removed, pruned }: ExportReport, to: string): string {
  const verdict = pruned ? 'deleted' : 'its flag is not exported any more, delete it or give --prune';
  const lines = removed.map((path) => `${join(to, path)}: ${verdict}\n`);
  const gone = removed.length === 0 ? '' : `, ${removed.length} ${pruned ? 'deleted' : 'without a flag'}`;
  const count = `${plural(written.length, 'file')} written, ${unchanged.length} unchanged`;
  return `${lines.join('')}${count}${gone}\n`;
}
