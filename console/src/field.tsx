/** A field of a form: its label, its control, a hint, what is wrong with it. */
import { type ReactNode, useId } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The complaint of the API about the value. */
  readonly problem?: string | undefined;
  /** The control, with the ids that join it to label, hint and problem. */
  readonly children: (ids: ControlProps) => ReactNode;
}

export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const [hintId, problemId] = [`${id}-hint`, `${id}-problem`];
  const described = [...(hint === undefined ? [] : [hintId]), ...(problem === undefined ? [] : [problemId])].join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': problem === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p id={hintId} className="hint">
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p id={problemId} role="alert" className="error message">
          {problem}
        </p>
      )}
    </div>
  );
}

/** Returns the value of the form field with this name, without spaces at its ends. */
export function textIn(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value.trim() : '';
}
