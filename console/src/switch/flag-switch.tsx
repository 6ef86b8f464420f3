/** The switch of a flag in an environment, or its state where the user may not switch. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api.ts';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import { permissionsQuery } from '../queries.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { NoStrategyDialog } from './no-strategy-dialog.tsx';
import { START_ENDPOINTS, SWITCH_ENDPOINTS, type SwitchPlace, startFor, writeSwitch } from './write-switch.ts';

interface FlagSwitchProps {
  readonly place: SwitchPlace;
  /** The name of the environment for people. */
  readonly label: string;
  readonly isOn: boolean;
  /** Why a change must be confirmed. */
  readonly caution: string | undefined;
}

/** In percent of the users. */
const EVERYONE = 100;

export function FlagSwitch({ place, label, isOn, caution }: FlagSwitchProps) {
  const { data: allowed } = useQuery(permissionsQuery(place.projectId, place.environment));
  const [isConfirming, setConfirming] = useState(false);
  const client = useQueryClient();
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: (write: () => Promise<void>) => write(),
    onSuccess: () => client.invalidateQueries({ queryKey: ['project', place.projectId] }),
  });
  const change = (isForced: boolean) => mutate(() => writeSwitch(place, { isOn: !isOn, isForced }));
  const mayChange = SWITCH_ENDPOINTS.every((endpoint) => allowed?.has(endpoint));
  if (!mayChange) return <span className={isOn ? 'state on' : 'state'}>{isOn ? 'On' : 'Off'}</span>;
  return (
    <>
      <button
        type="button"
        role="switch"
        className="switch"
        aria-checked={isOn}
        aria-label={`${place.featureName} in ${label}`}
        aria-busy={isPending}
        onClick={() => !isPending && (caution === undefined ? change(false) : setConfirming(true))}
      />
      {isConfirming && caution !== undefined && (
        <ConfirmDialog
          question={`Switch ${place.featureName} ${isOn ? 'off' : 'on'} in ${label}?`}
          caution={caution}
          action={isOn ? 'Switch off' : 'Switch on'}
          onClose={() => setConfirming(false)}
          onConfirm={() => change(false)}
        />
      )}
      {error && (
        <Problem
          {...{ place, label, error, allowed }}
          onForce={() => change(true)}
          onStart={() => mutate(() => startFor(place, EVERYONE))}
          onClose={reset}
        />
      )}
    </>
  );
}

interface ProblemProps extends Pick<FlagSwitchProps, 'place' | 'label'> {
  readonly error: Error;
  readonly allowed: ReadonlySet<string> | undefined;
  readonly onForce: () => void;
  readonly onStart: () => void;
  readonly onClose: () => void;
}

function Problem({ place, label, error, allowed, onForce, onStart, onClose }: ProblemProps) {
  const refusal = error instanceof ApiError ? error.body : undefined;
  const mayStart = START_ENDPOINTS.every((endpoint) => allowed?.has(endpoint));
  if (refusal?.name === 'CannotEnableError' && mayStart) {
    return <NoStrategyDialog {...{ place, label, error, onStart, onClose }} />;
  }
  return <ConflictDialog what="switch" mayHandOver={allowed} {...{ place, error, refusal, onForce, onClose }} />;
}
