/** The parameters of a strategy type, one fieldset each. */
import type { Schemas } from '../api.generated.ts';
import { Select } from '../select.tsx';

export type Parameter = Schemas['StrategyParameter'];

const TYPES = ['string', 'percentage', 'list', 'number', 'boolean'] as const satisfies readonly Parameter['type'][];
const NEW: Parameter = { name: '', type: 'string', description: '', required: false };

interface ParameterRowsProps {
  readonly parameters: readonly Parameter[];
  readonly onChange: (parameters: readonly Parameter[]) => void;
}

export function ParameterRows({ parameters, onChange }: ParameterRowsProps) {
  const change = (index: number, part: Partial<Parameter>) =>
    onChange(parameters.map((one, at) => (at === index ? { ...one, ...part } : one)));
  return (
    <>
      {parameters.map((parameter, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name, which is edited here, is no key
        <fieldset key={index}>
          <legend>Parameter {index + 1}</legend>
          <ParameterFields parameter={parameter} onChange={(part) => change(index, part)} />
          <button type="button" onClick={() => onChange(parameters.filter((_, at) => at !== index))}>
            Remove parameter {index + 1}
          </button>
        </fieldset>
      ))}
      <p>
        <button type="button" onClick={() => onChange([...parameters, NEW])}>
          Add a parameter
        </button>
      </p>
    </>
  );
}

interface ParameterFieldsProps {
  readonly parameter: Parameter;
  readonly onChange: (part: Partial<Parameter>) => void;
}

function ParameterFields({ parameter: { name, type, description, required }, onChange }: ParameterFieldsProps) {
  return (
    <div className="filter">
      <label>
        Name
        <input required maxLength={100} value={name} onChange={({ target }) => onChange({ name: target.value })} />
      </label>
      <Select
        label="Type"
        of={TYPES.map((one) => [one, one])}
        value={type}
        onChange={(next) => onChange({ type: TYPES.find((one) => one === next) ?? 'string' })}
      />
      <label>
        Description
        <input value={description} onChange={({ target }) => onChange({ description: target.value })} />
      </label>
      <label className="check">
        <input type="checkbox" checked={required} onChange={({ target }) => onChange({ required: target.checked })} />
        Required
      </label>
    </div>
  );
}
