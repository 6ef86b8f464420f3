/** The switch of a flag in an environment, with its owner and with a mark if it is not in effect. */
import type { Schemas } from '../api.generated.ts';
import { FlagSwitch } from './flag-switch.tsx';

interface EnvironmentStateProps {
  readonly projectId: string;
  readonly feature: Pick<Schemas['Feature'], 'name' | 'type'>;
  readonly environment: Pick<Schemas['ProjectEnvironment'], 'name' | 'displayName' | 'protected'>;
  readonly status: Schemas['FeatureStatus'] | undefined;
}

export function EnvironmentState({ projectId, feature, environment, status }: EnvironmentStateProps) {
  const { name, displayName } = environment;
  const state = status?.environments.find((one) => one.name === name);
  if (!state) return <span className="state">Off</span>;
  const owner = state.switchOwners.find((one) => one.protected);
  return (
    <span className="environment-state">
      <FlagSwitch
        place={{ projectId, featureName: feature.name, environment: name }}
        label={displayName}
        isOn={state.asked}
        caution={cautionOf(feature, environment)}
      />
      {state.switchProtected && <span className="mark git">owned by {owner?.manager ?? 'Git'}</span>}
      {state.asked && !state.inEffect && <span className="mark warning">not in effect</span>}
    </span>
  );
}

/** Returns why a change of the flag in the environment must be confirmed; undefined if it need not be. */
export function cautionOf(
  feature: EnvironmentStateProps['feature'],
  environment: EnvironmentStateProps['environment'],
) {
  if (environment.protected) return `${environment.displayName} is a protected environment.`;
  if (feature.type === 'kill-switch') return `${feature.name} is a kill switch.`;
  return undefined;
}
