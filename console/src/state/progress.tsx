/** Shows the progress of an import. */
import type { ImportProgress } from './import-state.ts';

const count = new Intl.NumberFormat();
const PHASES = { checking: 'Checking', writing: 'Writing' } as const;

/** Shows nothing until the progress is known. */
export function Progress({ progress }: { readonly progress: ImportProgress | undefined }) {
  if (!progress || progress.writes === 0) return null;
  const { phase, done, writes } = progress;
  const text = `${PHASES[phase]}: ${count.format(done)} of ${count.format(writes)} objects`;
  return (
    <>
      <progress aria-label={PHASES[phase]} value={done} max={writes} /> {text}
    </>
  );
}
