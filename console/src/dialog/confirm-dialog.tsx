/** Asks before a change that many people would notice. */
import type { FormEvent, ReactNode } from 'react';
import { Field, textIn } from '../field.tsx';
import { freezeSentence } from '../freeze-notice.tsx';
import type { Bypass } from '../write/bypass.ts';
import type { Trial } from '../write/trial.ts';
import { Attempt } from './attempt.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  readonly question: string;
  readonly caution?: string | undefined;
  readonly action: string;
  /** A dry run, whose warnings are shown. */
  readonly attempt?: () => Promise<Trial>;
  readonly bypass?: Bypass | undefined;
  /** Whether the history can keep a reason of the change. */
  readonly takesReason?: boolean;
  readonly children?: ReactNode;
  readonly onClose: () => void;
  /** Takes the reason for the history; undefined if the user gives none. */
  readonly onConfirm: (reason: string | undefined) => void;
}

export function ConfirmDialog({ question, caution, action, attempt, children, ...rest }: ConfirmDialogProps) {
  const { bypass, takesReason = false, ...on } = rest;
  const confirm = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = textIn(event.currentTarget, REASON) || undefined;
    on.onClose();
    on.onConfirm(reason);
  };
  return (
    <Dialog title={question} onClose={on.onClose}>
      <form onSubmit={confirm}>
        {children}
        {caution !== undefined && <p>{caution}</p>}
        {attempt && <Attempt attempt={attempt} />}
        {(takesReason || bypass) && <ReasonField bypass={bypass} />}
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

/** The field of the reason in its form. */
export const REASON = 'reason';

/** Asks why a change is made. A bypass of a freeze needs a reason. */
export function ReasonField({ bypass }: Pick<ConfirmDialogProps, 'bypass'>) {
  return (
    <>
      {bypass && <p className="caution">{freezeSentence(bypass.label, bypass.freeze)} You may bypass the freeze.</p>}
      <Field label={bypass ? 'Reason for the history' : 'Why (optional, for the history)'}>
        {(ids) => <input {...ids} name={REASON} required={bypass !== undefined} maxLength={200} autoComplete="off" />}
      </Field>
    </>
  );
}
