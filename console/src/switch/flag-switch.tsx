/** The switch of a flag in an environment, or its state where the user may not switch. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { refusalOf } from '../api.ts';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import type { EnvironmentPlace } from '../feature/place.ts';
import { useSegmentNames } from '../feature/segment-names.ts';
import { audienceText } from '../feature/sentences.ts';
import { featureQuery, statusQuery } from '../queries.ts';
import { AskDialog } from '../requests/ask-dialog.tsx';
import { usePermissions } from '../use-allowed.ts';
import { BYPASS_FREEZE, type Freeze } from '../write/bypass.ts';
import { HOW_TO_SAY_WHY } from '../write/write-button.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { NoStrategyDialog } from './no-strategy-dialog.tsx';
import { START_ENDPOINTS, SWITCH_ENDPOINTS, startFor, writeSwitch } from './write-switch.ts';

interface FlagSwitchProps {
  readonly place: EnvironmentPlace;
  /** The name of the environment for people. */
  readonly label: string;
  readonly isOn: boolean;
  /** Whether the flag is on for nobody yet, by plan. */
  readonly isPlanned: boolean;
  /** Whether a manager owns the switch so that the API refuses to change it. */
  readonly isOwned: boolean;
  /** Why a change must be confirmed. */
  readonly caution: string | undefined;
  readonly freeze: Freeze | null;
}

/** In percent of the users. */
const EVERYONE = 100;

export function FlagSwitch(props: FlagSwitchProps) {
  const { place, isOn, isPlanned, freeze } = props;
  const allowed = usePermissions(place.projectId, place.environment);
  const mayChange = SWITCH_ENDPOINTS.every((endpoint) => allowed?.has(endpoint));
  if (!mayChange) return <State {...{ isOn, isPlanned }} />;
  // Off is always allowed.
  const bypassed = !isOn && allowed?.has(BYPASS_FREEZE) ? freeze : null;
  return <ChangeableSwitch {...props} {...{ allowed, bypassed }} />;
}

interface ChangeableSwitchProps extends Omit<FlagSwitchProps, 'freeze'> {
  readonly allowed: ReadonlySet<string> | undefined;
  /** The freeze that a change bypasses. */
  readonly bypassed: Freeze | null;
}

function ChangeableSwitch({
  place,
  label,
  isOn,
  isPlanned,
  isOwned,
  caution,
  allowed,
  bypassed,
}: ChangeableSwitchProps) {
  const [isConfirming, setConfirming] = useState(false);
  const [reason, setReason] = useState<string>();
  const client = useQueryClient();
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: (write: () => Promise<void>) => write(),
    onSuccess: () => client.invalidateQueries({ queryKey: ['project', place.projectId] }),
  });
  const change = (why?: string) => mutate(() => writeSwitch(place, { isOn: !isOn, reason: why }));
  const ask = () => setConfirming(true);
  // The refusal has the ways out: a question before it would be in vain.
  const askIfAccepted = () => mutate(() => writeSwitch(place, { isOn: !isOn, isDryRun: true }), { onSuccess: ask });
  const first = firstStepOf({ isOwned, caution, bypassed });
  const press = (saysWhy: boolean) => {
    if (first === 'try') askIfAccepted();
    else if (first === 'ask' || saysWhy) ask();
    else change();
  };
  const audience = !isOn && <Audience place={place} />;
  return (
    <>
      <button
        type="button"
        role="switch"
        className={isPlanned ? 'switch planned' : 'switch'}
        aria-checked={isOn}
        aria-label={`${place.featureName} in ${label}`}
        aria-busy={isPending}
        title={first === 'change' ? HOW_TO_SAY_WHY : undefined}
        onClick={({ shiftKey }) => !isPending && press(shiftKey)}
      />
      {isConfirming && (
        <ConfirmDialog
          question={`Switch ${place.featureName} ${isOn ? 'off' : 'on'} in ${label}?`}
          caution={caution}
          bypass={bypassed ? { label, freeze: bypassed } : undefined}
          action={isOn ? 'Switch off' : 'Switch on'}
          onClose={() => setConfirming(false)}
          onConfirm={(why) => {
            setReason(why);
            change(why);
          }}
        >
          {audience}
        </ConfirmDialog>
      )}
      {error && (
        <Problem
          {...{ place, label, error, allowed }}
          given={reason}
          forced={
            <>
              {audience}
              {caution !== undefined && <p>{caution}</p>}
            </>
          }
          onForce={(why) => mutate(() => writeSwitch(place, { isOn: !isOn, isForced: true, reason: why }))}
          onStart={(why) => mutate(() => startFor(place, { percent: EVERYONE, reason: why }))}
          onAsk={(why) => writeSwitch(place, { isOn: !isOn, isAsking: true, reason: why })}
          onClose={reset}
        />
      )}
    </>
  );
}

/** Says for whom the switch would be on. */
function Audience({ place }: Pick<FlagSwitchProps, 'place'>) {
  const { data: flag } = useQuery(featureQuery(place));
  const { data: status } = useQuery(statusQuery(place));
  const nameOfSegment = useSegmentNames();
  const here = flag?.environments.find(({ name }) => name === place.environment);
  const state = status?.environments.find(({ name }) => name === place.environment);
  return <p role="status">{here && state && `For ${audienceText(here.strategies, state.ramps, nameOfSegment)}.`}</p>;
}

/** What a click does first. A bypass needs its reason before anything is sent. */
function firstStepOf({
  isOwned,
  caution,
  bypassed,
}: Pick<ChangeableSwitchProps, 'isOwned' | 'caution' | 'bypassed'>): 'try' | 'ask' | 'change' {
  if (bypassed) return 'ask';
  if (isOwned) return 'try';
  return caution === undefined ? 'change' : 'ask';
}

function State({ isOn, isPlanned }: Pick<FlagSwitchProps, 'isOn' | 'isPlanned'>) {
  return <span className={isOn && !isPlanned ? 'state on' : 'state'}>{isOn ? 'On' : 'Off'}</span>;
}

interface ProblemProps extends Pick<FlagSwitchProps, 'place' | 'label'> {
  readonly error: Error;
  readonly allowed: ReadonlySet<string> | undefined;
  /** The reason that the user gave. */
  readonly given: string | undefined;
  /** What a user should know before the switch is forced. */
  readonly forced: ReactNode;
  readonly onForce: (reason: string | undefined) => void;
  readonly onStart: (reason: string | undefined) => void;
  readonly onAsk: (reason: string | undefined) => Promise<void>;
  readonly onClose: () => void;
}

function Problem({ place, label, error, allowed, given, forced, onForce, onStart, onAsk, onClose }: ProblemProps) {
  const refusal = refusalOf(error)?.name;
  const { data: status } = useQuery(statusQuery(place));
  const mayStart = START_ENDPOINTS.every((endpoint) => allowed?.has(endpoint));
  if (refusal === 'ApprovalRequiredError') {
    return <AskDialog {...{ error, given, onClose }} ask={onAsk} hint="Flags can always be switched off." />;
  }
  if (refusal === 'CannotEnableError' && mayStart) {
    return <NoStrategyDialog {...{ place, label, error, given, onStart, onClose }} />;
  }
  return (
    <ConflictDialog
      what="switch"
      mayHandOver={allowed}
      editUrl={status?.editUrl}
      {...{ place, error, given, forced, onForce, onClose }}
    />
  );
}
