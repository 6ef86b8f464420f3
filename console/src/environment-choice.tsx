/** Chooses an environment. */

interface EnvironmentChoiceProps {
  readonly environments: readonly { readonly name: string; readonly displayName: string }[];
  readonly value: string;
  readonly label?: string;
  /** The text of the choice of no environment; absent: one must be chosen. */
  readonly none?: string;
  readonly onChange: (name: string) => void;
}

export function EnvironmentChoice(props: EnvironmentChoiceProps) {
  const { environments, value, label = 'Environment', none, onChange } = props;
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {environments.map(({ name, displayName }) => (
          <option key={name} value={name}>
            {displayName}
          </option>
        ))}
      </select>
    </label>
  );
}
