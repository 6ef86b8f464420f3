/** Says that a change needs approval, and offers to ask for it. */
import { Dialog } from '../dialog/dialog.tsx';
import { AskForm } from './ask-form.tsx';

interface AskDialogProps {
  readonly error: Error;
  /** The reason that the user gave for the change. */
  readonly given: string | undefined;
  readonly ask: (reason: string | undefined) => Promise<void>;
  readonly onClose: () => void;
}

/** The advice for callers of the API. */
const ADVICE = / Repeat the request with \?changeRequest=true to ask for it\./;

export function AskDialog({ error, given, ask, onClose }: AskDialogProps) {
  return (
    <Dialog title="This change needs approval" onClose={onClose}>
      <p className="message">{error.message.replace(ADVICE, '')}</p>
      <AskForm {...{ ask, given, onClose }} />
    </Dialog>
  );
}
