/** Chosen values, each with a button that removes it. */

export interface Chip {
  readonly key: string;
  readonly text: string;
  readonly onRemove: () => void;
}

interface ChipsProps {
  readonly label: string;
  /** The kind of the values, in the names of the buttons. */
  readonly noun: string;
  readonly chips: readonly Chip[];
}

export function Chips({ label, noun, chips }: ChipsProps) {
  return (
    <ul className="chips" aria-label={label}>
      {chips.map(({ key, text, onRemove }) => (
        <li key={key}>
          {text}
          <button type="button" className="quiet" aria-label={`Remove the ${noun} ${text}`} onClick={onRemove}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
