/** Asks before a change that many people would notice. */
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  readonly question: string;
  readonly caution: string;
  readonly action: string;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

export function ConfirmDialog({ question, caution, action, onClose, onConfirm }: ConfirmDialogProps) {
  return (
    <Dialog title={question} onClose={onClose}>
      <p>{caution}</p>
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
