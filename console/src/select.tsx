/** A choice of one value from a list. */

interface OptionsProps {
  readonly of: readonly (readonly [value: string | number, text: string])[];
  /** The text of the choice of no value; absent: one must be chosen. */
  readonly none?: string | undefined;
}

export function Options({ of, none }: OptionsProps) {
  return (
    <>
      {none !== undefined && <option value="">{none}</option>}
      {of.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </>
  );
}

interface SelectProps extends OptionsProps {
  readonly label: string;
  readonly value: string | number;
  readonly onChange: (value: string) => void;
}

export function Select({ label, value, onChange, ...options }: SelectProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <Options {...options} />
      </select>
    </label>
  );
}
