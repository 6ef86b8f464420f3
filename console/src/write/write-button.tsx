/** A button that changes something: it asks first if the change needs a confirmation, or to take a reason. */
import { useState } from 'react';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import type { Bypass } from './bypass.ts';

/** Under the pointer on controls that write with one click. */
export const HOW_TO_SAY_WHY = 'Hold Shift to say why';

interface WriteButtonProps {
  readonly question: string;
  /** Why the change must be confirmed. */
  readonly caution?: string | undefined;
  readonly bypass?: Bypass | undefined;
  /** The accessible name; absent: the text. */
  readonly label?: string;
  /** The text of the button that confirms; absent: the text. */
  readonly action?: string;
  readonly className?: string;
  readonly isDisabled?: boolean;
  readonly children: string;
  /** Takes the reason for the history; undefined if the user gives none. */
  readonly onWrite: (reason: string | undefined) => void;
}

export function WriteButton({ question, caution, bypass, children, onWrite, ...button }: WriteButtonProps) {
  const { label, action = children, className, isDisabled = false } = button;
  const [isAsking, setAsking] = useState(false);
  const isAsked = caution !== undefined || bypass !== undefined;
  return (
    <>
      <button
        type="button"
        aria-label={label}
        className={className}
        title={isAsked ? undefined : HOW_TO_SAY_WHY}
        disabled={isDisabled}
        onClick={({ shiftKey }) => (isAsked || shiftKey ? setAsking(true) : onWrite(undefined))}
      >
        {children}
      </button>
      {isAsking && (
        <ConfirmDialog
          {...{ question, caution, bypass, action }}
          onClose={() => setAsking(false)}
          onConfirm={onWrite}
        />
      )}
    </>
  );
}
