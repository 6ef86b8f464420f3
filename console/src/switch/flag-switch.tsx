/** The switch of a flag in an environment, or its state where the user may not switch. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api.ts';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import { permissionsQuery, statusQuery } from '../queries.ts';
import { AskDialog } from '../requests/ask-dialog.tsx';
import { BYPASS_FREEZE, type Freeze } from '../write/bypass.ts';
import { Audience } from './audience.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { NoStrategyDialog } from './no-strategy-dialog.tsx';
import { START_ENDPOINTS, SWITCH_ENDPOINTS, type SwitchPlace, startFor, writeSwitch } from './write-switch.ts';

interface FlagSwitchProps {
  readonly place: SwitchPlace;
  /** The name of the environment for people. */
  readonly label: string;
  readonly isOn: boolean;
  /** Whether the flag is on for nobody yet, by plan. */
  readonly isPlanned: boolean;
  /** Why a change must be confirmed. */
  readonly caution: string | undefined;
  readonly freeze: Freeze | null;
}

/** In percent of the users. */
const EVERYONE = 100;

export function FlagSwitch({ place, label, isOn, isPlanned, caution, freeze }: FlagSwitchProps) {
  const { data: allowed } = useQuery(permissionsQuery(place.projectId, place.environment));
  const [isConfirming, setConfirming] = useState(false);
  const [reason, setReason] = useState<string>();
  const client = useQueryClient();
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: (write: () => Promise<void>) => write(),
    onSuccess: () => client.invalidateQueries({ queryKey: ['project', place.projectId] }),
  });
  const mayChange = SWITCH_ENDPOINTS.every((endpoint) => allowed?.has(endpoint));
  if (!mayChange) return <State {...{ isOn, isPlanned }} />;
  // Off is always allowed.
  const bypass = !isOn && freeze && allowed?.has(BYPASS_FREEZE) ? { label, freeze } : undefined;
  const isAsked = caution !== undefined || bypass !== undefined;
  const change = (why?: string) => mutate(() => writeSwitch(place, { isOn: !isOn, isForced: false, reason: why }));
  return (
    <>
      <button
        type="button"
        role="switch"
        className={isPlanned ? 'switch planned' : 'switch'}
        aria-checked={isOn}
        aria-label={`${place.featureName} in ${label}`}
        aria-busy={isPending}
        onClick={() => !isPending && (isAsked ? setConfirming(true) : change())}
      />
      {isConfirming && isAsked && (
        <ConfirmDialog
          question={`Switch ${place.featureName} ${isOn ? 'off' : 'on'} in ${label}?`}
          {...{ caution, bypass }}
          action={isOn ? 'Switch off' : 'Switch on'}
          onClose={() => setConfirming(false)}
          onConfirm={(why) => {
            setReason(why);
            change(why);
          }}
        >
          {!isOn && <Audience place={place} />}
        </ConfirmDialog>
      )}
      {error && (
        <Problem
          {...{ place, label, error, allowed }}
          given={reason}
          onForce={(why) => mutate(() => writeSwitch(place, { isOn: !isOn, isForced: true, reason: why }))}
          onStart={(why) => mutate(() => startFor(place, { percent: EVERYONE, reason: why }))}
          onAsk={(why) => writeSwitch(place, { isOn: !isOn, isForced: false, isAsking: true, reason: why })}
          onClose={reset}
        />
      )}
    </>
  );
}

function State({ isOn, isPlanned }: Pick<FlagSwitchProps, 'isOn' | 'isPlanned'>) {
  return <span className={isOn && !isPlanned ? 'state on' : 'state'}>{isOn ? 'On' : 'Off'}</span>;
}

interface ProblemProps extends Pick<FlagSwitchProps, 'place' | 'label'> {
  readonly error: Error;
  readonly allowed: ReadonlySet<string> | undefined;
  /** The reason that the user gave. */
  readonly given: string | undefined;
  readonly onForce: (reason: string | undefined) => void;
  readonly onStart: (reason: string | undefined) => void;
  readonly onAsk: (reason: string | undefined) => Promise<void>;
  readonly onClose: () => void;
}

function Problem({ place, label, error, allowed, given, onForce, onStart, onAsk, onClose }: ProblemProps) {
  const refusal = error instanceof ApiError ? error.body : undefined;
  const { data: status } = useQuery(statusQuery(place));
  const mayStart = START_ENDPOINTS.every((endpoint) => allowed?.has(endpoint));
  if (refusal?.name === 'ApprovalRequiredError') {
    return <AskDialog {...{ error, given, onClose }} ask={onAsk} />;
  }
  if (refusal?.name === 'CannotEnableError' && mayStart) {
    return <NoStrategyDialog {...{ place, label, error, given, onStart, onClose }} />;
  }
  return (
    <ConflictDialog
      what="switch"
      mayHandOver={allowed}
      editUrl={status?.editUrl}
      {...{ place, error, refusal, given, onForce, onClose }}
    />
  );
}
