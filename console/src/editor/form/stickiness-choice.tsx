/** Chooses the context field that keeps a user on one side. */
import type { Schemas } from '../../api.generated.ts';

interface StickinessChoiceProps {
  readonly value: string;
  readonly fields: readonly Schemas['ContextField'][];
  readonly onChange: (value: string) => void;
}

export function StickinessChoice({ value, fields, onChange }: StickinessChoiceProps) {
  const sticky = fields.filter(({ stickiness }) => stickiness).map(({ name }) => name);
  return (
    <label>
      Stickiness
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {[...new Set(['default', 'random', ...sticky, value])].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
