/** Says why a change was not made, with the ways to make it that the API offers. */
import type { ReactNode } from 'react';
import { ApiError, refusalOf } from '../api.ts';
import { Dialog } from '../dialog/dialog.tsx';
import type { EnvironmentPlace } from '../feature/place.ts';
import { Ways } from './ways.tsx';
import { HAND_OVER_ENDPOINT, handOver } from './write-switch.ts';

interface ConflictDialogProps {
  /** The noun for the object of the change, such as "switch". */
  readonly what: string;
  /** The switch that can be handed over. */
  readonly place?: EnvironmentPlace;
  /** Where the manifest is changed in Git; null: not known. */
  readonly editUrl?: string | null | undefined;
  readonly error: Error;
  /** The reason that the user gave for the change. */
  readonly given?: string | undefined;
  /** What a user should know before the change is forced. */
  readonly forced?: ReactNode;
  readonly onForce: (reason: string | undefined) => void;
  readonly onClose: () => void;
  /** The endpoints that the user may call. */
  readonly mayHandOver?: ReadonlySet<string> | undefined;
}

export function ConflictDialog({ what, place, editUrl, error, ...rest }: ConflictDialogProps) {
  const { given, forced, onForce, onClose, mayHandOver } = rest;
  const refusal = refusalOf(error);
  const isOwned = refusal?.name === 'FieldManagedError';
  const managers = [...new Set((refusal?.sources ?? []).map(({ manager }) => manager))].join(', ');
  return (
    <Dialog
      title={isOwned ? `${managers || 'Another manager'} owns this ${what}` : failureOf(what, error)}
      onClose={onClose}
    >
      {isOwned ? (
        <>
          <p>Nothing was changed: {managers || 'the manager'} would revert the change. There are three ways:</p>
          <Ways
            sources={refusal.sources ?? []}
            editUrl={editUrl}
            handOver={place && mayHandOver?.has(HAND_OVER_ENDPOINT) ? () => handOver(place) : undefined}
            {...{ given, forced }}
            onForce={(reason) => {
              onClose();
              onForce(reason);
            }}
          />
          <details>
            <summary>The whole answer</summary>
            <p className="message">{error.message}</p>
          </details>
        </>
      ) : (
        <p className="message">{error.message}</p>
      )}
      <div className="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** Without an answer, nobody knows. */
function failureOf(what: string, error: Error): string {
  return `The ${what} ${error instanceof ApiError ? 'was not' : 'may not have been'} changed`;
}
