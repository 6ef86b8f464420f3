/** Asks for the approval of a change. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import { useIsUser } from './use-is-user.ts';

interface AskFormProps {
  readonly ask: (reason: string | undefined) => Promise<void>;
  /** The reason that the user gave before. */
  readonly given?: string | undefined;
  /** Called by a button that closes the dialog of the form; absent: the form is part of a page. */
  readonly onClose?: () => void;
}

export function AskForm({ ask, given, onClose }: AskFormProps) {
  const client = useQueryClient();
  const asking = useMutation({
    mutationFn: ask,
    onSuccess: () => client.invalidateQueries({ queryKey: ['change-requests'] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    asking.mutate(reasonIn(event.currentTarget));
  };
  const isUser = useIsUser();
  if (!isUser) {
    return (
      <>
        <p>
          Only a user can ask for approval. Sign in as one, or use <code>vexil request</code>.
        </p>
        {onClose && (
          <div className="actions">
            <button type="button" onClick={onClose}>
              Close
            </button>
          </div>
        )}
      </>
    );
  }
  if (asking.isSuccess) {
    return (
      <>
        <p role="status">You asked for approval. The change comes into effect when another person has approved it.</p>
        <div className="actions">
          {onClose && (
            <button type="button" onClick={onClose}>
              Close
            </button>
          )}
          <Link className="button primary" href="/change-requests" onClick={onClose}>
            Show change requests
          </Link>
        </div>
      </>
    );
  }
  return (
    <form onSubmit={submit}>
      <ReasonField given={given} />
      {asking.error && (
        <p role="alert" className="error message">
          {asking.error.message}
        </p>
      )}
      <div className="actions">
        {onClose && (
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        )}
        <button type="submit" className="primary" disabled={asking.isPending}>
          Ask for approval
        </button>
      </div>
    </form>
  );
}
