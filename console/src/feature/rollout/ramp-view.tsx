/** A ramp: its steps with the present one, and the buttons that change it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api.generated.ts';
import { api, checked } from '../../api.ts';
import { ConfirmDialog } from '../../dialog/confirm-dialog.tsx';
import { endpoint } from '../../editor/flag-paths.ts';
import { statusQuery } from '../../queries.ts';
import { RampShape } from '../../shapes/ramp-shape.tsx';
import type { SwitchPlace } from '../../switch/write-switch.ts';
import { zonedTimeText } from '../../times.ts';
import { useAllowed } from '../../use-allowed.ts';
import { BYPASS_FREEZE } from '../../write/bypass.ts';
import { useWrite } from '../../write/use-write.tsx';

const RAMP =
  '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}/ramp';
const ENDPOINT = endpoint('POST', RAMP);

type Action = Schemas['RampAction'];
type ActionName = Action['action'];
type RampState = Schemas['RampStatus']['state'];

/** The actions that the API accepts in each state. */
const ACTIONS: Readonly<Record<RampState, readonly ActionName[]>> = {
  Waiting: ['start', 'skip'],
  Scheduled: ['start', 'pause', 'skip', 'abort'],
  Running: ['pause', 'skip', 'abort'],
  Paused: ['resume', 'skip', 'abort'],
  Completed: ['skip', 'abort'],
};

const NAMES: Readonly<Record<Exclude<ActionName, 'skip'>, string>> = {
  start: 'Start',
  pause: 'Pause',
  resume: 'Resume',
  abort: 'Abort',
};

interface RampViewProps {
  readonly place: SwitchPlace;
  readonly strategy: Schemas['Strategy'];
  readonly state: Schemas['RampStatus'];
  /** Why a change has to be confirmed. */
  readonly caution: string | undefined;
  readonly frozen: Pick<Schemas['ProjectEnvironment'], 'displayName' | 'freeze'>;
}

/** The actions that a freeze allows to everyone. */
const TAKES_AWAY: readonly ActionName[] = ['pause', 'abort'];

export function RampView({ place, strategy, state, caution, frozen }: RampViewProps) {
  const allows = useAllowed(place.projectId, place.environment);
  const isAllowed = allows(ENDPOINT);
  const [asked, setAsked] = useState<Action>();
  const { data: status } = useQuery(statusQuery(place));
  const { write, isPending, problem } = useWrite({
    what: 'ramp',
    editUrl: status?.editUrl,
    send: (action: Action, query) => {
      const params = { path: { ...place, strategyId: strategy.id }, query };
      return checked(api.POST(RAMP, { params, body: action, parseAs: 'text' }));
    },
  });
  const steps = strategy.ramp?.steps ?? [];
  const offered = isAllowed && !strategy.disabled && steps.length > 0 ? ACTIONS[state.state] : [];
  const bypassOf = ({ action }: Action) =>
    frozen.freeze && allows(BYPASS_FREEZE) && !TAKES_AWAY.includes(action)
      ? { label: frozen.displayName, freeze: frozen.freeze }
      : undefined;
  const isAsked = (action: Action) => (warningOf(action, caution) ?? bypassOf(action)) !== undefined;
  const act = (action: Action) => (isAsked(action) ? setAsked(action) : write(action));
  return (
    <section className="ramp" aria-label={`Ramp of ${strategy.title ?? strategy.name} in ${place.environment}`}>
      <p>{rampText(state)}</p>
      <RampShape steps={steps} step={state.step} />
      <ol>
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have their place alone.
          <li key={index} aria-current={state.step === index + 1 ? 'step' : undefined}>
            {step.rollout} %{step.for === undefined ? '' : ` for ${step.for}`}
            {offered.includes('skip') && state.step !== index + 1 && (
              <button
                type="button"
                className="quiet"
                disabled={isPending}
                onClick={() => act({ action: 'skip', step: index + 1 })}
              >
                Skip to step {index + 1}
              </button>
            )}
          </li>
        ))}
      </ol>
      <p className="buttons">
        {offered.map(
          (action) =>
            action !== 'skip' && (
              <button key={action} type="button" disabled={isPending} onClick={() => act({ action })}>
                {NAMES[action]}
              </button>
            ),
        )}
      </p>
      {asked && isAsked(asked) && (
        <ConfirmDialog
          question={`${asked.action === 'skip' ? `Skip to step ${asked.step}` : `${NAMES[asked.action]} the ramp`}?`}
          caution={warningOf(asked, caution)}
          bypass={bypassOf(asked)}
          action={asked.action === 'skip' ? 'Skip' : NAMES[asked.action]}
          onClose={() => setAsked(undefined)}
          onConfirm={(reason) => write(asked, reason)}
        />
      )}
      {problem}
    </section>
  );
}

function warningOf({ action }: Action, caution: string | undefined): string | undefined {
  if (action !== 'abort') return caution;
  const effect = 'The strategy is disabled. The flag goes off if no other strategy is left.';
  return caution === undefined ? effect : `${effect} ${caution}`;
}

function rampText({ state, rollout, nextChangeAt }: Schemas['RampStatus']): string {
  const next = nextChangeAt === null ? '' : `, next step ${zonedTimeText(nextChangeAt)}`;
  return `${state}: ${rollout} % now${next}.`;
}
