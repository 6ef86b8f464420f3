/** Sends a change; if another manager owns a field, explains that and offers ways to change it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../api.ts';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import { ConflictDialog } from '../switch/conflict-dialog.tsx';

/** The query parameters of a forced change. */
export interface Force {
  readonly force?: true;
}

interface WriteParts<T> {
  /** The noun for the object of the change, such as "project" in "The project was not changed". */
  readonly what: string;
  readonly send: (input: T, force: Force) => Promise<unknown>;
  readonly onDone?: () => void;
  /** Where the manifest of the object is changed in Git. */
  readonly editUrl?: string | null | undefined;
}

interface Sent<T> {
  readonly input: T;
  readonly force: Force;
}

export function useWrite<T>({ what, send, onDone, editUrl }: WriteParts<T>) {
  const client = useQueryClient();
  const { mutate, error, variables, isPending, isSuccess, reset } = useMutation({
    mutationFn: ({ input, force }: Sent<T>) => send(input, force),
    async onSuccess() {
      onDone?.();
      await client.invalidateQueries({ predicate: ({ meta }) => meta?.['isStanding'] !== true });
    },
  });
  const force = (input: T) => mutate({ input, force: { force: true } });
  const again = () => variables && force(variables.input);
  return {
    write: (input: T) => mutate({ input, force: {} }),
    /** Takes the fields from their owners. */
    force,
    isPending,
    isSuccess,
    reset,
    /** The reason why nothing was changed, to show next to the control. */
    problem: error ? <Problem {...{ what, editUrl, error }} onForce={again} onClose={reset} /> : null,
  };
}

interface ProblemProps extends Pick<WriteParts<unknown>, 'what' | 'editUrl'> {
  readonly error: Error;
  readonly onForce: () => void;
  readonly onClose: () => void;
}

function Problem({ what, editUrl, error, onForce, onClose }: ProblemProps) {
  const refusal = error instanceof ApiError ? error.body : undefined;
  if (refusal?.name === 'FieldManagedError') {
    return <ConflictDialog {...{ what, editUrl, error, refusal, onForce, onClose }} />;
  }
  if (refusal?.name === 'FlagInUseError') {
    return (
      <ConfirmDialog
        question="Applications still ask for it. Go on?"
        caution={error.message}
        action="Go on"
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
