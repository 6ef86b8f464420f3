/** Chooses the context field that keeps a user on one side. */
import type { Schemas } from '../../api.generated.ts';
import { Select } from '../../select.tsx';

interface StickinessChoiceProps {
  readonly value: string;
  readonly fields: readonly Schemas['ContextField'][];
  readonly onChange: (value: string) => void;
}

export function StickinessChoice({ value, fields, onChange }: StickinessChoiceProps) {
  const sticky = fields.filter(({ stickiness }) => stickiness).map(({ name }) => name);
  const names = [...new Set(['default', 'random', ...sticky, value])];
  return <Select label="Stickiness" of={names.map((name) => [name, name])} value={value} onChange={onChange} />;
}
