/** The search above a list. */

interface FilterFieldProps {
  readonly value: string;
  readonly label?: string;
  readonly onChange: (text: string) => void;
}

export function FilterField({ value, label = 'Search', onChange }: FilterFieldProps) {
  return (
    <search className="filter">
      <label>
        {label}
        <input type="search" value={value} onChange={({ target }) => onChange(target.value)} />
      </label>
    </search>
  );
}
