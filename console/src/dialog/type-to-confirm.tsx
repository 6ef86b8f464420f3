/** Asks for a name before something is deleted for good. */
import { type FormEvent, useState } from 'react';
import { Field } from '../field.tsx';
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
  readonly onConfirm: () => void;
}

export function TypeToConfirm({ title, caution, name, action, attempt, onClose, onConfirm }: TypeToConfirmProps) {
  const [typed, setTyped] = useState('');
  const confirm = (event: FormEvent) => {
    event.preventDefault();
    onClose();
    onConfirm();
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
