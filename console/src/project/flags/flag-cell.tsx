/** A flag in an environment in a few characters: the switch, for how many it is on, its plan and its owner. */
import type { Schemas } from '../../api.generated.ts';
import { Icon, type IconName } from '../../icons.tsx';
import type { EnvironmentThen } from '../../past/environment-then.ts';
import { ShareMark } from '../../shapes/share-mark.tsx';
import { planOf, StateSwitch } from '../../switch/environment-state.tsx';
import { dayText, shortDayText } from '../../times.ts';

interface FlagCellProps {
  readonly projectId: string;
  readonly feature: Pick<Schemas['FeatureSummary'], 'name' | 'type' | 'status'>;
  readonly environment: EnvironmentThen;
}

export function FlagCell({ projectId, feature, environment }: FlagCellProps) {
  const state = feature.status?.environments.find(({ name }) => name === environment.name);
  if (!state) return <span className="state">Off</span>;
  const plan = planOf(state);
  const owner = state.switchOwners.find((one) => one.protected);
  return (
    <span className="environment-state">
      <StateSwitch {...{ projectId, feature, environment, state }} />
      <Effect state={state} plan={plan} />
      <Schedule state={state} plan={plan} />
      {state.switchProtected && <Sign icon="git" text={`owned by ${owner?.manager ?? 'Git'}`} />}
    </span>
  );
}

interface StateProps {
  readonly state: Schemas['EnvironmentStatus'];
  readonly plan: string | undefined;
}

function Effect({ state, plan }: StateProps) {
  if (!state.asked || plan !== undefined) return null;
  if (state.inEffect) return <ShareMark share={state.share} />;
  return <span className="mark warning">{state.window === 'Closed' ? 'window closed' : 'not in effect'}</span>;
}

/** The next change by time alone, and what makes it. */
function Schedule({ state: { nextChangeAt, ramps, window }, plan }: StateProps) {
  if (plan === undefined && nextChangeAt === null) return null;
  const icon = ramps.length > 0 ? 'ramp' : 'clock';
  const what = window === null || ramps.length > 0 ? 'next step' : 'window ends';
  const text = plan ?? `${what} ${nextChangeAt === null ? '' : dayText(nextChangeAt)}`;
  const short = plan === undefined || nextChangeAt === null ? '' : shortDayText(nextChangeAt);
  return <Sign {...{ icon, text, short }} />;
}

interface SignProps {
  readonly icon: IconName;
  /** The whole text, for screen readers and under the pointer. */
  readonly text: string;
  readonly short?: string;
}

function Sign({ icon, text, short = '' }: SignProps) {
  return (
    <span className="sign" title={text}>
      <Icon name={icon} />
      <span aria-hidden="true">{short}</span>
      <span className="unseen">{text}</span>
    </span>
  );
}
