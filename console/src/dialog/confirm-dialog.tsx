/** Asks before a change that many people would notice. */
import type { Trial } from '../write/trial.ts';
import { Attempt } from './attempt.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  readonly question: string;
  readonly caution: string;
  readonly action: string;
  /** A dry run, whose warnings are shown. */
  readonly attempt?: () => Promise<Trial>;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

export function ConfirmDialog({ question, caution, action, attempt, onClose, onConfirm }: ConfirmDialogProps) {
  return (
    <Dialog title={question} onClose={onClose}>
      <p>{caution}</p>
      {attempt && <Attempt attempt={attempt} />}
      <div className="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="primary"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}
