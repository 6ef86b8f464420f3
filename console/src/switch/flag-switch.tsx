/** The switch of a flag in an environment, or its state where the user may not switch. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api.ts';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import { permissionsQuery } from '../queries.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { SWITCH_ENDPOINTS, type SwitchPlace, type WantedSwitch, writeSwitch } from './write-switch.ts';

interface FlagSwitchProps {
  readonly place: SwitchPlace;
  /** The name of the environment for people. */
  readonly label: string;
  readonly isOn: boolean;
  /** Why a change must be confirmed. */
  readonly caution: string | undefined;
}

export function FlagSwitch({ place, label, isOn, caution }: FlagSwitchProps) {
  const { data: allowed } = useQuery(permissionsQuery(place.projectId, place.environment));
  const [isConfirming, setConfirming] = useState(false);
  const client = useQueryClient();
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: (wanted: WantedSwitch) => writeSwitch(place, wanted),
    onSuccess: () => client.invalidateQueries({ queryKey: ['project', place.projectId] }),
  });
  const change = (isForced: boolean) => mutate({ isOn: !isOn, isForced });
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
        <ConflictDialog
          what="switch"
          place={place}
          error={error}
          refusal={error instanceof ApiError ? error.body : undefined}
          onForce={() => change(true)}
          onClose={reset}
          mayHandOver={allowed}
        />
      )}
    </>
  );
}
