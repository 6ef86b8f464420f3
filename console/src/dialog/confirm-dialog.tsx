/** Asks before a change that many people would notice. */
import type { FormEvent, ReactNode } from 'react';
import type { Bypass } from '../write/bypass.ts';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  readonly question: string;
  readonly caution?: string | undefined;
  readonly action: string;
  readonly bypass?: Bypass | undefined;
  /** Whether the history can keep a reason that was not asked for before. */
  readonly takesReason?: boolean;
  readonly children?: ReactNode;
  readonly onClose: () => void;
  /** Takes the reason for the history; undefined if the user gives none. */
  readonly onConfirm: (reason: string | undefined) => void;
}

export function ConfirmDialog({ question, caution, action, children, ...rest }: ConfirmDialogProps) {
  const { bypass, takesReason = true, ...on } = rest;
  const confirm = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = reasonIn(event.currentTarget);
    on.onClose();
    on.onConfirm(reason);
  };
  return (
    <Dialog title={question} onClose={on.onClose}>
      <form onSubmit={confirm}>
        {children}
        {caution !== undefined && <p>{caution}</p>}
        {takesReason && <ReasonField bypass={bypass} />}
        <div className="actions">
          <button type="button" onClick={on.onClose}>
            Cancel
          </button>
          <button type="submit" className="primary">
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
