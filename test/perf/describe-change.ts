/** The ratios that are worse than the stored ones, as text. */
import { MAX_WORSE, type Measured, machineKind, readBaseline, worseThan } from './baseline.ts';

export async function describeChange(measured: Measured): Promise<string> {
  const kind = machineKind();
  const stored = await readBaseline(kind);
  if (stored === undefined) return `No figures are stored for ${kind}: --store stores these.`;
  const worse = worseThan(stored, measured);
  const most = `more than ${MAX_WORSE * 100} %`;
  if (worse.length === 0) return `Nothing is worse by ${most} than the figures stored for ${kind}.`;
  return [`Worse by ${most} than the figures stored for ${kind}:`, ...worse.map((line) => `  ${line}`)].join('\n');
}
