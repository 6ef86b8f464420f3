/** Asks for a name before something is deleted for good. */
import { type FormEvent, useState } from 'react';
import { Field } from '../field.tsx';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import type { Trial } from '../write/trial.ts';
import { Attempt } from './attempt.tsx';
import { Dialog } from './dialog.tsx';

interface TypeToConfirmProps {
  readonly title: string;
  readonly caution: string;
  readonly name: string;
  readonly action: string;
  /** A dry run, whose warnings are shown. */
  readonly attempt?: () => Promise<Trial>;
  readonly onClose: () => void;
  /** Takes the reason for the history; undefined if the user gives none. */
  readonly onConfirm: (reason: string | undefined) => void;
}

export function TypeToConfirm({ title, caution, name, action, attempt, onClose, onConfirm }: TypeToConfirmProps) {
  const [typed, setTyped] = useState('');
  const confirm = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = reasonIn(event.currentTarget);
    onClose();
    onConfirm(reason);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={confirm}>
        <p>{caution}</p>
        {attempt && <Attempt attempt={attempt} />}
        <Field label={`Type ${name} to confirm`}>
          {(ids) => (
            <input {...ids} autoComplete="off" value={typed} onChange={({ target }) => setTyped(target.value)} />
          )}
        </Field>
        <ReasonField />
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="danger" disabled={typed !== name}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
