/** Adds one of many names, found by typing a part of it. */
import { type KeyboardEvent, useId, useState } from 'react';

interface NamePickerProps {
  readonly label: string;
  readonly action: string;
  readonly names: readonly string[];
  /** The names are not known yet. */
  readonly isLoading?: boolean;
  readonly onPick: (name: string) => void;
}

/** There may be thousands of names. */
const MAX_OFFERED = 20;

export function NamePicker({ label, action, names, isLoading = false, onPick }: NamePickerProps) {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const id = useId();
  const wanted = text.trim().toLowerCase();
  const offered = names.filter((name) => name.toLowerCase().includes(wanted)).slice(0, MAX_OFFERED);
  const pick = () => {
    const name = names.find((one) => one === text.trim()) ?? (offered.length === 1 ? offered[0] : undefined);
    setWrong(name === undefined);
    if (name === undefined) return;
    onPick(name);
    setText('');
  };
  const pickAtEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (!isLoading) pick();
  };
  return (
    <div className="picker">
      <label>
        {label}
        <input
          list={`${id}-names`}
          value={text}
          autoComplete="off"
          aria-invalid={isWrong}
          aria-describedby={`${id}-error`}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={pickAtEnter}
        />
      </label>
      <datalist id={`${id}-names`}>
        {offered.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button type="button" disabled={isLoading} onClick={pick}>
        {action}
      </button>
      <span id={`${id}-error`} role="alert" className="error">
        {isWrong && 'Choose one of the names that the list offers.'}
      </span>
    </div>
  );
}
