/** Sends a change; if another manager owns a field, explains that and offers ways to change it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refusalOf } from '../api.ts';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import { OF_OBJECTS } from '../queries.ts';
import { AskDialog } from '../requests/ask-dialog.tsx';
import { ConflictDialog } from '../switch/conflict-dialog.tsx';
import { because } from './bypass.ts';

/** The query parameters of a write. */
export interface WriteQuery {
  /** Takes the fields from their owners. */
  readonly force?: true;
  /** Asks for approval, if the change needs it. */
  readonly changeRequest?: true;
  /** Why the change is made. */
  readonly reason?: string;
}

interface WriteParts<T> {
  /** The noun for the object of the change, such as "project" in "The project was not changed". */
  readonly what: string;
  readonly send: (input: T, query: WriteQuery) => Promise<unknown>;
  readonly onDone?: () => void;
  /** Where the manifest of the object is changed in Git. */
  readonly editUrl?: string | null | undefined;
  /** Whether the endpoints take `changeRequest`. */
  readonly canAsk?: true;
}

interface InputWithQuery<T> {
  readonly input: T;
  readonly query: WriteQuery;
}

export function useWrite<T>({ what, send, onDone, editUrl, canAsk }: WriteParts<T>) {
  const client = useQueryClient();
  const { mutate, error, variables, isPending, isSuccess, reset } = useMutation({
    mutationFn: ({ input, query }: InputWithQuery<T>) => send(input, query),
    async onSuccess() {
      onDone?.();
      await client.invalidateQueries(OF_OBJECTS);
    },
  });
  const force = (input: T, reason?: string) => mutate({ input, query: { force: true, ...because(reason) } });
  const given = variables?.query.reason;
  const again = (reason = given) => variables && force(variables.input, reason);
  const ask = async (reason = given) => {
    if (variables) await send(variables.input, { changeRequest: true, ...because(reason) });
  };
  return {
    write: (input: T, reason?: string) => mutate({ input, query: because(reason) }),
    /** Takes the fields from their owners. */
    force,
    isPending,
    isSuccess,
    reset,
    /** The reason why nothing was changed, to show next to the control. */
    problem: error ? (
      <Problem {...{ what, editUrl, error, given }} onForce={again} onAsk={canAsk && ask} onClose={reset} />
    ) : null,
  };
}

interface ProblemProps extends Pick<WriteParts<unknown>, 'what' | 'editUrl'> {
  readonly error: Error;
  /** The reason that the user gave. */
  readonly given: string | undefined;
  readonly onForce: (reason?: string) => void;
  /** Absent: nobody can ask for the change here. */
  readonly onAsk: ((reason: string | undefined) => Promise<void>) | undefined;
  readonly onClose: () => void;
}

function Problem({ what, editUrl, error, given, onForce, onAsk, onClose }: ProblemProps) {
  const refusal = refusalOf(error)?.name;
  if (refusal === 'ApprovalRequiredError' && onAsk) {
    return <AskDialog {...{ error, given, onClose }} ask={onAsk} />;
  }
  if (refusal === 'FieldManagedError') {
    return <ConflictDialog {...{ what, editUrl, error, given, onForce, onClose }} />;
  }
  if (refusal === 'FlagInUseError') {
    return (
      <ConfirmDialog
        question="Applications still ask for it. Go on?"
        caution={error.message}
        action="Go on"
        takesReason={given === undefined}
        onClose={onClose}
        onConfirm={onForce}
      />
    );
  }
  return (
    <p role="alert" className="error message">
      {error.message}
    </p>
  );
}
