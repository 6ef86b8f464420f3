/** A dialog with a form: its fields, and the buttons that close the dialog and send the form. */
import type { FormEvent, ReactNode } from 'react';
import { Dialog } from './dialog.tsx';

interface FormDialogProps {
  readonly title: string;
  /** The text of the button that sends the form. */
  readonly action: string;
  /** Whether the change destroys something. */
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  /** Of the form. */
  readonly className?: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
  readonly onSubmit: (form: HTMLFormElement) => void;
}

export function FormDialog({ title, children, onClose, onSubmit, ...props }: FormDialogProps) {
  const { action, isDanger = false, isDisabled = false, className } = props;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(event.currentTarget);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={className} onSubmit={submit}>
        {children}
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className={isDanger ? 'danger' : 'primary'} disabled={isDisabled}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
