/** Edits the context that flags are evaluated for. */
import { useQuery } from '@tanstack/react-query';
import { newKey, replaced, without } from '../editor/draft/keyed.ts';
import { contextQuery } from '../editor/form-queries.ts';

export interface ContextEntry {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

export type ContextEntries = readonly ContextEntry[];

export function firstContext(): ContextEntries {
  return [{ key: newKey(), name: 'userId', value: '' }];
}

/** The fields that SDKs have by default; every other field is a property. */
const FIELDS: readonly string[] = ['userId', 'sessionId', 'remoteAddress', 'appName', 'currentTime'];

/** Leaves out empty entries. */
export function contextOf(entries: ContextEntries): Readonly<Record<string, unknown>> {
  const given = entries
    .map(({ name, value }) => [name.trim(), value] as const)
    .filter(([name, value]) => name && value);
  const isField = ([name]: readonly [string, string]) => FIELDS.includes(name);
  return {
    ...Object.fromEntries(given.filter(isField)),
    properties: Object.fromEntries(given.filter((one) => !isField(one))),
  };
}

interface ContextFieldsProps {
  readonly entries: ContextEntries;
  readonly onChange: (entries: ContextEntries) => void;
}

export function ContextFields({ entries, onChange }: ContextFieldsProps) {
  const { data: fields = [] } = useQuery(contextQuery);
  return (
    <fieldset className="piece">
      <legend>Context</legend>
      <datalist id="context-fields">
        {fields
          .filter(({ name }) => name !== 'environment')
          .map(({ name }) => (
            <option key={name} value={name} />
          ))}
      </datalist>
      {entries.map((one) => (
        <div key={one.key} className="row">
          <label>
            Field
            <input
              list="context-fields"
              value={one.name}
              autoComplete="off"
              onChange={({ target }) => onChange(replaced(entries, { ...one, name: target.value }))}
            />
          </label>
          <label className="wide">
            Value
            <input
              value={one.value}
              autoComplete="off"
              onChange={({ target }) => onChange(replaced(entries, { ...one, value: target.value }))}
            />
          </label>
          <button
            type="button"
            className="quiet"
            aria-label={`Remove the field ${one.name}`}
            onClick={() => onChange(without(entries, one))}
          >
            ×
          </button>
        </div>
      ))}
      <div className="row">
        <button
          type="button"
          className="quiet"
          onClick={() => onChange([...entries, { key: newKey(), name: '', value: '' }])}
        >
          Add a field
        </button>
      </div>
    </fieldset>
  );
}
