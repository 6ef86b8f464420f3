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
  readonly children?: ReactNode;
  readonly onClose: () => void;
  /** Takes the reason for the history if the change bypasses a freeze. */
  readonly onConfirm: (reason: string | undefined) => void;
}

export function ConfirmDialog({ question, caution, action, attempt, bypass, children, ...on }: ConfirmDialogProps) {
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
        {bypass && <BypassReason bypass={bypass} />}
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

export function BypassReason({ bypass: { label, freeze } }: { readonly bypass: Bypass }) {
  return (
    <>
      <p className="caution">{freezeSentence(label, freeze)} You may bypass the freeze.</p>
      <Field label="Reason for the history">
        {(ids) => <input {...ids} name={REASON} required maxLength={200} autoComplete="off" />}
      </Field>
    </>
  );
}
