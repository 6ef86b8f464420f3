/** Edits the constraints of a strategy or of a segment. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { Schemas } from '../../api.generated.ts';
import { OPERATORS } from '../../feature/sentences.ts';
import { Options } from '../../select.tsx';
import {
  type ConstraintDraft,
  mayIgnoreCase,
  newConstraint,
  type Operator,
  takesValues,
} from '../draft/constraint-draft.ts';
import { replaced, without } from '../draft/keyed.ts';
import { contextQuery } from '../form-queries.ts';
import { pasteLines } from './paste-lines.ts';

interface ConstraintListProps {
  readonly constraints: readonly ConstraintDraft[];
  readonly onChange: (constraints: readonly ConstraintDraft[]) => void;
}

export function ConstraintList({ constraints, onChange }: ConstraintListProps) {
  const { data: fields = [] } = useQuery(contextQuery);
  return (
    <div className="pieces">
      {constraints.map((one, index) => (
        <ConstraintForm
          key={one.key}
          name={`Constraint ${index + 1}`}
          constraint={one}
          fields={fields}
          onChange={(next) => onChange(replaced(constraints, next))}
          onRemove={() => onChange(without(constraints, one))}
        />
      ))}
      <button type="button" onClick={() => onChange([...constraints, newConstraint()])}>
        Add a constraint
      </button>
    </div>
  );
}

interface ConstraintFormProps {
  readonly name: string;
  readonly constraint: ConstraintDraft;
  readonly fields: readonly Schemas['ContextField'][];
  readonly onChange: (constraint: ConstraintDraft) => void;
  readonly onRemove: () => void;
}

const KEYS = Object.keys(OPERATORS) as readonly Operator[];

function ConstraintForm({ name, constraint, fields, onChange, onRemove }: ConstraintFormProps) {
  const id = useId();
  const { contextName, operator, inverted } = constraint;
  return (
    <fieldset className="piece">
      <legend>{name}</legend>
      <div className="row">
        <label>
          Context field
          <input
            list={`${id}-fields`}
            value={contextName}
            onChange={({ target }) => onChange({ ...constraint, contextName: target.value })}
          />
        </label>
        <datalist id={`${id}-fields`}>
          {fields.map((field) => (
            <option key={field.name} value={field.name} label={field.description ?? undefined} />
          ))}
        </datalist>
        <label>
          Operator
          <select
            value={operator}
            onChange={({ target }) =>
              onChange({ ...constraint, operator: KEYS.find((one) => one === target.value) ?? operator })
            }
          >
            <Options of={KEYS.map((key) => [key, `${key} · ${OPERATORS[key]}`])} />
          </select>
        </label>
      </div>
      <Operand
        constraint={constraint}
        legal={fields.find((field) => field.name === contextName)?.legalValues ?? []}
        onChange={onChange}
      />
      <div className="row end">
        <label className="check">
          <input
            type="checkbox"
            checked={inverted}
            onChange={({ target }) => onChange({ ...constraint, inverted: target.checked })}
          />
          Negate
        </label>
        {mayIgnoreCase(operator) && (
          <label className="check">
            <input
              type="checkbox"
              checked={constraint.caseInsensitive}
              onChange={({ target }) => onChange({ ...constraint, caseInsensitive: target.checked })}
            />
            Ignore case
          </label>
        )}
        <button type="button" className="quiet" onClick={onRemove}>
          Remove {name.toLowerCase()}
        </button>
      </div>
    </fieldset>
  );
}

interface OperandProps extends Pick<ConstraintFormProps, 'constraint' | 'onChange'> {
  readonly legal: Schemas['ContextField']['legalValues'];
}

const HINTS: readonly (readonly [prefix: string, hint: string])[] = [
  ['DATE_', 'A date with time and zone: 2026-01-31T12:00:00Z'],
  ['SEMVER_', 'A version such as 1.2.3'],
  ['NUM_', 'A number such as 0.5'],
  ['REGEX', 'A regular expression (RE2)'],
];

function Operand({ constraint, legal, onChange }: OperandProps) {
  const id = useId();
  const { operator, text } = constraint;
  const change = (next: string) => onChange({ ...constraint, text: next });
  if (!takesValues(operator)) {
    const hint = HINTS.find(([prefix]) => operator.startsWith(prefix))?.[1];
    return (
      <>
        <label>
          Value
          <input value={text} aria-describedby={id} onChange={({ target }) => change(target.value)} />
        </label>
        <p id={id} className="hint">
          {hint}
        </p>
      </>
    );
  }
  return (
    <>
      <label>
        Values
        <textarea
          rows={Math.min(8, Math.max(2, text.split('\n').length))}
          value={text}
          aria-describedby={id}
          onChange={({ target }) => change(target.value)}
          onPaste={(event) => pasteLines(event, change)}
        />
      </label>
      <p id={id} className="hint">
        One on each line. A list with commas is pasted as lines.
        {legal.length > 0 &&
          ` Known: ${legal
            .slice(0, MAX_LEGAL)
            .map(({ value }) => value)
            .join(', ')}${legal.length > MAX_LEGAL ? ', …' : ''}`}
      </p>
    </>
  );
}

const MAX_LEGAL = 20;
