/** The switch of a flag in an environment, with its owner and with a mark if it is not in effect. */
import type { Schemas } from '../api.generated.ts';
import { Icon } from '../icons.tsx';
import { dayText } from '../times.ts';
import { FlagSwitch } from './flag-switch.tsx';

interface EnvironmentStateProps {
  readonly projectId: string;
  readonly feature: Pick<Schemas['Feature'], 'name' | 'type'>;
  readonly environment: Pick<Schemas['ProjectEnvironment'], 'name' | 'displayName' | 'protected' | 'freeze'>;
  readonly status: Schemas['FeatureStatus'] | undefined;
}

interface StateSwitchProps extends Omit<EnvironmentStateProps, 'status'> {
  readonly state: Schemas['EnvironmentStatus'];
}

/** The switch in its present state. */
export function StateSwitch({ projectId, feature, environment, state }: StateSwitchProps) {
  const { name, displayName, freeze } = environment;
  return (
    <FlagSwitch
      place={{ projectId, featureName: feature.name, environment: name }}
      label={displayName}
      isOn={state.asked}
      isPlanned={planOf(state) !== undefined}
      isOwned={state.switchProtected}
      caution={cautionOf(feature, environment)}
      freeze={freeze}
    />
  );
}

export function EnvironmentState({ projectId, feature, environment, status }: EnvironmentStateProps) {
  const state = status?.environments.find(({ name }) => name === environment.name);
  if (!state) return <span className="state">Off</span>;
  const owner = state.switchOwners.find((one) => one.protected);
  const plan = planOf(state);
  return (
    <span className="environment-state">
      <StateSwitch {...{ projectId, feature, environment, state }} />
      {state.switchProtected && (
        <span className="mark git">
          <Icon name="git" />
          owned by {owner?.manager ?? 'Git'}
        </span>
      )}
      {plan !== undefined && (
        <span className="mark">
          <Icon name="clock" />
          {plan}
        </span>
      )}
      {plan === undefined && state.asked && !state.inEffect && (
        <span className="mark warning">{state.window === 'Closed' ? 'window closed' : 'not in effect'}</span>
      )}
    </span>
  );
}

/** What a switch that is on waits for, while nobody has the flag yet; undefined if it waits for nothing. */
export function planOf(state: Schemas['EnvironmentStatus']): string | undefined {
  const { asked, inEffect, window, ramps, strategies, nextChangeAt } = state;
  if (!asked) return undefined;
  const from = nextChangeAt === null ? '' : ` from ${dayText(nextChangeAt)}`;
  if (!inEffect) return window === 'Scheduled' ? `planned${from}` : undefined;
  const isAtZero = ramps.length === strategies && ramps.every(({ rollout }) => rollout === 0);
  return isAtZero ? `planned${from}, 0 % now` : undefined;
}

/** Returns why a change of the flag in the environment must be confirmed; undefined if it need not be. */
export function cautionOf(
  feature: EnvironmentStateProps['feature'],
  environment: Pick<EnvironmentStateProps['environment'], 'displayName' | 'protected'>,
) {
  if (environment.protected) return `${environment.displayName} is a protected environment.`;
  if (feature.type === 'kill-switch') return `${feature.name} is a kill switch.`;
  return undefined;
}
