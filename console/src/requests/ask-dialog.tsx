/** Says that a change needs approval, and offers to ask for it. */
import { messagesOf } from '../api.ts';
import { Dialog } from '../dialog/dialog.tsx';
import { AskForm } from './ask-form.tsx';

interface AskDialogProps {
  readonly error: Error;
  /** The reason that the user gave for the change. */
  readonly given: string | undefined;
  readonly hint?: string;
  readonly ask: (reason: string | undefined) => Promise<void>;
  readonly onClose: () => void;
}

export function AskDialog({ error, given, hint, ask, onClose }: AskDialogProps) {
  return (
    <Dialog title="This change needs approval" onClose={onClose}>
      {messagesOf(error).map((message) => (
        <p key={message} className="message">
          {message}
        </p>
      ))}
      {hint !== undefined && <p className="hint">{hint}</p>}
      <AskForm {...{ ask, given, onClose }} />
    </Dialog>
  );
}
