/** A ramp: its steps with the present one, and the buttons that change it. */
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api.generated.ts';
import { api, checked } from '../../api.ts';
import { endpoint } from '../../editor/flag-paths.ts';
import type { EnvironmentPlace } from '../../feature/place.ts';
import { statusQuery } from '../../queries.ts';
import { RampShape } from '../../shapes/ramp-shape.tsx';
import { zonedTimeText } from '../../times.ts';
import { useAllowed } from '../../use-allowed.ts';
import { BYPASS_FREEZE } from '../../write/bypass.ts';
import { useWrite } from '../../write/use-write.tsx';
import { WriteButton } from '../../write/write-button.tsx';

const RAMP =
  '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}/ramp';
const ENDPOINT = endpoint('POST', RAMP);

type Action = Schemas['RampAction'];
type ActionName = Action['action'];
type RampStateName = Schemas['RampStatus']['state'];

/** The actions that the API accepts in each state. */
const ACTIONS: Readonly<Record<RampStateName, readonly ActionName[]>> = {
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
  readonly place: EnvironmentPlace;
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
  const change = (action: Action) => ({
    caution: warningOf(action, caution),
    bypass: bypassOf(action),
    isDisabled: isPending,
    onWrite: (reason: string | undefined) => write(action, reason),
  });
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
              <WriteButton
                className="quiet"
                question={`Skip to step ${index + 1}?`}
                action="Skip"
                {...change({ action: 'skip', step: index + 1 })}
              >
                {`Skip to step ${index + 1}`}
              </WriteButton>
            )}
          </li>
        ))}
      </ol>
      <p className="buttons">
        {offered.map(
          (action) =>
            action !== 'skip' && (
              <WriteButton key={action} question={`${NAMES[action]} the ramp?`} {...change({ action })}>
                {NAMES[action]}
              </WriteButton>
            ),
        )}
      </p>
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
