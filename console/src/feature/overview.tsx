/** The environments of a flag side by side. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { ENVIRONMENT_ENDPOINTS } from '../editor/flag-paths.ts';
import { editPath } from '../feature-link.tsx';
import { EnvironmentMarks, FreezeNotice } from '../freeze-notice.tsx';
import { TypeMark } from '../icons.tsx';
import { Loaded } from '../loaded.tsx';
import { type EnvironmentThen, environmentThen } from '../past/environment-then.ts';
import { Problems } from '../problems.tsx';
import { environmentsQuery, featureQuery, statusQuery } from '../queries.ts';
import { Waiting } from '../requests/waiting.tsx';
import { PartsBar } from '../shapes/parts-bar.tsx';
import { Ring, ShareMark } from '../shapes/share-mark.tsx';
import { cautionOf, EnvironmentState, planOf } from '../switch/environment-state.tsx';
import { useAllowed } from '../use-allowed.ts';
import { About } from './about.tsx';
import { CopyLink } from './copy-link.tsx';
import type { EnvironmentPlace, FeaturePlace } from './place.ts';
import { Planned } from './rollout/planned.tsx';
import { RampView } from './rollout/ramp-view.tsx';
import { useSegmentNames } from './segment-names.ts';
import { strategySentence } from './sentences.ts';
import { PeriodChoice, UsageView } from './usage/usage-view.tsx';

export function Overview({ place }: { readonly place: FeaturePlace }) {
  const feature = useQuery(featureQuery(place));
  const status = useQuery(statusQuery(place));
  const environments = useQuery(environmentsQuery(place.projectId));
  return (
    <Loaded query={feature}>
      {(flag) => (
        <Loaded query={status}>
          {(known) => (
            <Loaded query={environments}>
              {(list) => (
                <>
                  <Summary place={place} flag={flag} status={known} />
                  {!place.past && <PeriodChoice place={place} />}
                  <ul className="cards environments">
                    {environmentsOf(place, flag, list).map((environment) => (
                      <li key={environment.name} className="card">
                        <EnvironmentCard place={place} flag={flag} status={known} environment={environment} />
                      </li>
                    ))}
                  </ul>
                </>
              )}
            </Loaded>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

type Flag = Schemas['FeatureWithEnvironments'];

/** In the past, those of then. */
function environmentsOf(
  { past }: FeaturePlace,
  flag: Flag,
  present: readonly Schemas['ProjectEnvironment'][],
): readonly EnvironmentThen[] {
  return past ? flag.environments.map(({ name }) => environmentThen(name, present)) : present;
}

interface SummaryProps {
  readonly place: FeaturePlace;
  readonly flag: Flag;
  readonly status: Schemas['FeatureStatus'];
}

function Summary({ place, flag, status: { problems, changedBy } }: SummaryProps) {
  return (
    <>
      <p>
        <TypeMark type={flag.type} />
        {flag.stale && <span className="mark warning">stale</span>}
        {flag.archived && <span className="mark warning">archived</span>}
      </p>
      {flag.description && <p>{flag.description}</p>}
      <About place={place} flag={flag} changedBy={changedBy} />
      <Problems problems={problems.filter(({ environment }) => environment === null)} />
    </>
  );
}

interface EditLinkProps {
  readonly place: EnvironmentPlace;
  readonly label: string;
}

function EditLink({ place, label }: EditLinkProps) {
  const isAllowed = useAllowed(place.projectId, place.environment);
  if (!Object.values(ENVIRONMENT_ENDPOINTS).some(isAllowed)) return null;
  return (
    <Link href={editPath(place)} aria-label={`Edit in ${label}`}>
      Edit
    </Link>
  );
}

interface EnvironmentCardProps {
  readonly place: FeaturePlace;
  readonly flag: Flag;
  readonly status: Schemas['FeatureStatus'];
  readonly environment: EnvironmentThen;
}

function EnvironmentCard({ place, flag, status, environment }: EnvironmentCardProps) {
  const { name, displayName } = environment;
  const here = flag.environments.find((one) => one.name === name);
  const state = status.environments.find((one) => one.name === name);
  const variants = here?.variants ?? [];
  const nameOfSegment = useSegmentNames();
  return (
    <>
      <div className="card-head">
        <h2>
          {displayName} <EnvironmentMarks protected={environment.protected} freeze={null} />
        </h2>
        <span className="card-links">
          <CopyLink place={{ ...place, environment: name }} />
          <EditLink place={{ ...place, environment: name }} label={displayName} />
        </span>
      </div>
      {!place.past && (
        <>
          <FreezeNotice projectId={place.projectId} environment={environment} />
          <Waiting place={place} environment={name} />
        </>
      )}
      <p className="effect">
        <EnvironmentState projectId={place.projectId} feature={flag} environment={environment} status={status} />
        {state?.inEffect && planOf(state) === undefined && <ShareMark share={state.share} />}
      </p>
      <Problems problems={status.problems.filter((problem) => problem.environment === name)} />
      {here && state && <Planned state={state} here={here} />}
      <h3>Strategies</h3>
      {here?.strategies.length ? (
        <ul className="strategies">
          {here.strategies.map((strategy) => {
            const ramp = state?.ramps.find(({ strategyId }) => strategyId === strategy.id);
            const caution = cautionOf(flag, environment);
            return (
              <li key={strategy.id}>
                <StrategyRing strategy={strategy} rollout={ramp?.rollout} />
                {strategySentence(strategy, nameOfSegment, ramp?.rollout)}
                {ramp && (
                  <RampView
                    place={{ ...place, environment: name }}
                    strategy={strategy}
                    state={ramp}
                    caution={caution}
                    frozen={environment}
                  />
                )}
              </li>
            );
          })}
        </ul>
      ) : (
        <p className="hint">None.</p>
      )}
      {variants.length > 0 && (
        <>
          <h3>Variants</h3>
          <PartsBar
            label={`Variants in ${displayName}`}
            parts={variants.map(({ name: variant, weight, payload }) => {
              const value = payload ? ` with ${payload.value}` : '';
              return { name: variant, size: weight, text: `${weight / 10} %${value}` };
            })}
          />
        </>
      )}
      {here && !place.past && <UsageView place={place} environment={name} seen={here} />}
    </>
  );
}

interface StrategyRingProps {
  readonly strategy: Schemas['Strategy'];
  /** The percentage now, if it differs from the parameter. */
  readonly rollout: number | undefined;
}

const EVERYONE = 100;

/** The share of the users that the strategy chooses, before its constraints. */
function StrategyRing({ strategy: { name, parameters, disabled }, rollout }: StrategyRingProps) {
  const known = name === 'default' ? EVERYONE : (rollout ?? parameters['rollout'] ?? parameters['percentage']);
  return known === undefined || disabled ? null : <Ring percent={Math.floor(Number(known)) || 0} />;
}
