/** Ratios that a run has stored for its kind of machine, and the ratios that are worse now. */
import { readFile, writeFile } from 'node:fs/promises';
import { arch, cpus } from 'node:os';
import { join } from 'node:path';
import type { Comparison } from './comparisons.ts';

/** The ratios of one kind of machine: for each row the ratio against each control. */
type Ratios = Readonly<Record<string, Readonly<Record<string, number>>>>;
/** Ratios by the kind of machine. */
type Stored = Readonly<Record<string, Ratios>>;
/** Comparisons by row. */
export type Measured = Readonly<Record<string, readonly Comparison[]>>;

/** The allowed loss. Results of one machine vary by less from run to run. */
const MAX_WORSE = 0.15;

const FILE = join(import.meta.dirname, 'baseline.json');

export function machineKind(): string {
  const cores = cpus();
  return `${cores.length} cores, ${cores[0]?.model.trim() ?? 'unknown processor'}, ${arch()}`;
}

const readAll = async (): Promise<Stored> => JSON.parse(await readFile(FILE, 'utf8'));

/** Returns the stored ratios; undefined if no run has stored any. */
async function readBaseline(kind: string): Promise<Ratios | undefined> {
  return (await readAll())[kind];
}

/** Stores the ratios. Rows that were not measured stay unchanged. */
export async function storeBaseline(kind: string, measured: Measured): Promise<void> {
  const all = await readAll();
  const rows = Object.entries(measured).map(([row, comparisons]) => [
    row,
    Object.fromEntries(comparisons.map(({ control, ratio }) => [control, Number(ratio.toFixed(3))])),
  ]);
  const stored = { ...all, [kind]: { ...all[kind], ...Object.fromEntries(rows) } };
  await writeFile(FILE, `${JSON.stringify(stored, null, 2)}\n`);
}

/**
 * Returns a sentence for each ratio that is worse by more than `MAX_WORSE`. Rows and controls without a stored ratio
 * are left out.
 */
export function worseThan(stored: Ratios, measured: Measured): readonly string[] {
  return Object.entries(measured).flatMap(([row, comparisons]) =>
    comparisons.flatMap(({ control, of, ratio }) => {
      const before = stored[row]?.[control];
      if (before === undefined) return [];
      const worse = of === 'throughput' ? before / ratio - 1 : ratio / before - 1;
      if (worse <= MAX_WORSE) return [];
      return [
        `${row} against ${control}: ${of} ${ratio.toFixed(2)}, was ${before.toFixed(2)}: ${percent(worse)} worse`,
      ];
    }),
  );
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** The ratios that are worse than the stored ones, as text. */
export async function describeChange(measured: Measured): Promise<string> {
  const kind = machineKind();
  const stored = await readBaseline(kind);
  if (stored === undefined) return `No figures are stored for ${kind}: --store stores these.`;
  const worse = worseThan(stored, measured);
  const most = `more than ${MAX_WORSE * 100} %`;
  if (worse.length === 0) return `Nothing is worse by ${most} than the figures stored for ${kind}.`;
  return [`Worse by ${most} than the figures stored for ${kind}:`, ...worse.map((line) => `  ${line}`)].join('\n');
}
