/** The inputs of the fields of a flag. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api.generated.ts';
import { featureTypesQuery } from '../../editor/form-queries.ts';
import { type ControlProps, Field } from '../../field.tsx';
import { Options } from '../../select.tsx';
import type { FieldsDraft } from './fields-draft.ts';
import { type FlagField, inputLabelOf } from './flag-field.ts';
import { flagFields } from './flag-fields.generated.ts';

interface FieldInputsProps {
  readonly draft: FieldsDraft;
  readonly onChange: (draft: FieldsDraft) => void;
  /** The names of fields that the form does not ask for. */
  readonly without?: readonly string[];
  /** The complaint of the API about the value of a field. */
  readonly problemOf?: (name: string) => string | undefined;
}

/** A text that may be longer has several lines. */
const LONG = 255;
const DIGITS = String.raw`\s*\d*\s*`;

type Types = readonly Schemas['FeatureType'][];

/** Fields that are on or off come last. */
const ORDERED = flagFields.toSorted((one, other) => Number(one.kind === 'boolean') - Number(other.kind === 'boolean'));

export function FieldInputs({ draft, onChange, without = [], problemOf }: FieldInputsProps) {
  const { data: types = [] } = useQuery(featureTypesQuery);
  return ORDERED.filter(({ name }) => !without.includes(name)).map((field) => {
    const { name } = field;
    const change = (value: string | boolean) => onChange({ ...draft, [name]: value });
    if (field.kind === 'boolean') {
      return (
        <label key={name} className="check">
          <input type="checkbox" checked={draft[name] === true} onChange={({ target }) => change(target.checked)} />
          {inputLabelOf(name)}
        </label>
      );
    }
    const problem = problemOf?.(name);
    return (
      <Field key={name} label={inputLabelOf(name)} hint={hintOf(field, { types, draft })} problem={problem}>
        {(ids) => controlOf(field, { ids, types, value: `${draft[name]}`, change })}
      </Field>
    );
  });
}

function hintOf({ name, hint }: FlagField, { types, draft }: { readonly types: Types; readonly draft: FieldsDraft }) {
  const type = types.find(({ id }) => id === draft['type']);
  if (name === 'description') return undefined;
  if (name === 'type') return type?.description;
  if (name !== 'lifetimeDays') return hint;
  return `Empty: ${type?.lifetimeDays ? `${type.lifetimeDays} days, as for its type` : 'as for its type, without end'}.`;
}

interface Control {
  readonly ids: ControlProps;
  readonly types: Types;
  readonly value: string;
  readonly change: (value: string) => void;
}

function controlOf(field: FlagField, { ids, types, value, change }: Control): ReactNode {
  const bound = { ...ids, value, onChange: ({ target }: { target: { value: string } }) => change(target.value) };
  if (field.kind === 'choice') {
    const nameOf = (choice: string) => types.find(({ id }) => id === choice)?.name ?? choice;
    return (
      <select {...bound}>
        <Options
          of={field.choices.map((choice) => [choice, nameOf(choice)])}
          // Every flag has a type.
          none={field.name === 'type' ? undefined : ''}
        />
      </select>
    );
  }
  if (field.kind === 'integer')
    return <input {...bound} inputMode="numeric" pattern={DIGITS} maxLength={15} title="A whole number" />;
  if (field.kind === 'text' && field.maxLength > LONG) return <textarea {...bound} rows={3} />;
  return <input {...bound} autoComplete="off" />;
}
