/** Two texts as the lines in which they differ. */
import { differenceOf, type Gap, type Line, shortened } from './difference.ts';

interface DifferenceProps {
  readonly before: string;
  readonly after: string;
  /** Absent for the label of a step. */
  readonly label?: string;
}

export function Difference({ before, after, label = 'Difference' }: DifferenceProps) {
  if (before === after) return <p className="hint">Nothing changes in the manifest.</p>;
  const lines = numbered(shortened(differenceOf(before, after)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
    <section className="diff" tabIndex={0} aria-label={label}>
      {lines.map(({ line, number }) => (
        <ShownLine key={number} line={line} />
      ))}
    </section>
  );
}

function numbered(lines: readonly (Line | Gap)[]) {
  return lines.map((line, number) => ({ line, number }));
}

function ShownLine({ line }: { readonly line: Line | Gap }) {
  if (line.sign === '…') return <div className="gap">… {line.lines === 1 ? '1 line' : `${line.lines} lines`}</div>;
  if (line.sign === '+') return <ins>+ {line.text}</ins>;
  if (line.sign === '-') return <del>− {line.text}</del>;
  return <div>{`  ${line.text}`}</div>;
}
