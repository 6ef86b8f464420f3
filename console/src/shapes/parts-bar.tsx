/** Parts of a whole as a bar, with a legend that has their names and values. */

export interface Part {
  readonly name: string;
  /** The share of the whole, in any unit. */
  readonly size: number;
  /** The value for people. */
  readonly text: string;
}

interface PartsBarProps {
  readonly label: string;
  readonly parts: readonly Part[];
}

/** The colours of the style sheet are used again after so many parts. */
const COLOURS = 6;
const WIDTH = 100;

export function PartsBar({ label, parts }: PartsBarProps) {
  const whole = parts.reduce((sum, { size }) => sum + size, 0);
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, { size }) => sum + size, 0));
  const scaled = (size: number) => (whole === 0 ? 0 : (size / whole) * WIDTH);
  return (
    <>
      <svg className="parts-bar" viewBox={`0 0 ${WIDTH} 1`} preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ name, size }, index) => (
          <rect key={name} className={colourOf(index)} x={scaled(starts[index] ?? 0)} width={scaled(size)} height="1" />
        ))}
      </svg>
      <ul className="legend" aria-label={label}>
        {parts.map(({ name, text }, index) => (
          <li key={name}>
            <svg className="dot" viewBox="0 0 10 10" aria-hidden="true">
              <rect className={colourOf(index)} width="10" height="10" rx="2" />
            </svg>
            {name} <span className="hint">{text}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function colourOf(index: number): string {
  return `colour-${(index % COLOURS) + 1}`;
}
