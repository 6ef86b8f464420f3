/** Asks before a change that many people would notice. */
import type { ReactNode } from 'react';
import type { Bypass } from '../write/bypass.ts';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import { FormDialog } from './form-dialog.tsx';

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

export function ConfirmDialog({
  question,
  caution,
  bypass,
  takesReason = true,
  children,
  ...rest
}: ConfirmDialogProps) {
  const { action, onClose, onConfirm } = rest;
  return (
    <FormDialog
      {...{ title: question, action, onClose }}
      onSubmit={(form) => {
        const reason = reasonIn(form);
        onClose();
        onConfirm(reason);
      }}
    >
      {children}
      {caution !== undefined && <p>{caution}</p>}
      {takesReason && <ReasonField bypass={bypass} />}
    </FormDialog>
  );
}
