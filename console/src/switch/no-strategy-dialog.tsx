/** Says that a flag cannot be switched on, and offers the strategy that it lacks. */
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { Dialog } from '../dialog/dialog.tsx';
import type { EnvironmentPlace } from '../feature/place.ts';
import { editPath } from '../feature-link.tsx';
import { featureQuery } from '../queries.ts';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';

interface NoStrategyDialogProps {
  readonly place: EnvironmentPlace;
  /** The name of the environment for people. */
  readonly label: string;
  readonly error: Error;
  /** The reason that the user gave for the switch. */
  readonly given: string | undefined;
  readonly onStart: (reason: string | undefined) => void;
  readonly onClose: () => void;
}

export function NoStrategyDialog({ place, label, error, given, onStart, onClose }: NoStrategyDialogProps) {
  const { data: flag } = useQuery(featureQuery(place));
  const here = flag?.environments.find(({ name }) => name === place.environment);
  // Other reasons prevent a switch too, and another strategy does not help against them.
  const lacksStrategy = here?.strategies.every(({ disabled }) => disabled);
  const start = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = reasonIn(event.currentTarget);
    onClose();
    onStart(reason);
  };
  return (
    <Dialog title="The switch was not changed" onClose={onClose}>
      {lacksStrategy ? (
        <p>
          {place.featureName} has no enabled strategy in {label}, so it would be on for nobody.
        </p>
      ) : (
        <p className="message">{error.message}</p>
      )}
      <form onSubmit={start}>
        {lacksStrategy && <ReasonField given={given} />}
        <div className="actions">
          <button type="button" onClick={onClose}>
            Close
          </button>
          {lacksStrategy && (
            <>
              <Link className="button" href={editPath(place)} onClick={onClose}>
                Add a strategy
              </Link>
              <button type="submit" className="primary">
                Switch on for everyone
              </button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  );
}
