/** Edits the context that flags are evaluated for. */
import { useQuery } from '@tanstack/react-query';
import { replaced, without } from '../editor/draft/keyed.ts';
import { contextQuery } from '../editor/form-queries.ts';
import { type ContextEntries, newEntry } from './context-entries.ts';

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
              placeholder={one.example}
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
        <button type="button" className="quiet" onClick={() => onChange([...entries, newEntry()])}>
          Add a field
        </button>
      </div>
    </fieldset>
  );
}
