/** Chooses an environment. */

interface EnvironmentChoiceProps {
  readonly environments: readonly { readonly name: string; readonly displayName: string }[];
  readonly value: string;
  readonly label?: string;
  readonly onChange: (name: string) => void;
}

export function EnvironmentChoice({ environments, value, label = 'Environment', onChange }: EnvironmentChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {environments.map(({ name, displayName }) => (
          <option key={name} value={name}>
            {displayName}
          </option>
        ))}
      </select>
    </label>
  );
}
