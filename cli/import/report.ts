/** The result of an import as text and as JSON. */
import { registry } from '../../src/kinds/registry.ts';
import { truncate } from '../../src/model/text.ts';
import type { Written } from '../files/manifest-file.ts';
import { plural } from '../plural.ts';
import { printableLines } from '../terminal.ts';
import type { ImportedFiles } from './import-file.ts';
import type { ImportedObject } from './imported.ts';
import type { Unmapped } from './unmapped.ts';

interface ImportReport extends Omit<ImportedFiles, 'files'>, Written {}

/** Longer values do not help at a terminal. */
const MAX_SHOWN = 120;

/** Lists what people have to check: each line names the place, the value and what to do. */
export function importNotes({ unmapped, added }: ImportReport): string {
  return printableLines([
    ...unmapped.map(
      ({ path, value, advice, isNote }) =>
        `${isNote ? 'note' : 'not mapped'}: ${path} = ${valueText(value)}: ${advice}`,
    ),
    ...added.map(
      (object) => `added: ${nameOf(object)}: the file does not have it. Check it, or name its file with --context`,
    ),
  ]);
}

/** Without a folder, no files were to be written. */
export function importSummary({ written, unchanged, unmapped }: ImportReport, folder: string | undefined): string {
  const files = `${plural(written.length, 'file')} written, ${unchanged.length} unchanged, `;
  return `${folder === undefined ? '' : files}${lossesIn(unmapped).length} not mapped\n`;
}

/** Returns the parts whose absence changes something. */
export function lossesIn(unmapped: readonly Unmapped[]): readonly Unmapped[] {
  return unmapped.filter(({ isNote }) => !isNote);
}

interface ServerReport extends ImportReport {
  readonly notes?: readonly string[];
  readonly contextFields?: readonly object[];
  readonly lastSeen?: object;
}

export function importJson({ unmapped, added, written, unchanged, ...ofServer }: ServerReport): string {
  const { notes, contextFields, lastSeen } = ofServer;
  const onServer = notes && { notes, contextFields, lastSeen };
  const report = { written, unchanged, unmapped, added: added.map(nameOf), ...onServer };
  return `${JSON.stringify(report, (_, value: unknown) => value ?? null, 2)}\n`;
}

function nameOf({ kind, name }: ImportedObject): string {
  return `${registry[kind].kind.kind} ${name}`;
}

function valueText(value: unknown): string {
  return truncate(JSON.stringify(value) ?? 'nothing', MAX_SHOWN);
}
