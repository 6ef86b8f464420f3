/** The page of a flag: its state by environment, owners of fields, history, manifest and editor; now or in the past. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { FLAG_ENDPOINTS } from '../editor/flag-paths.ts';
import { featurePath } from '../feature-link.tsx';
import { FavouriteButton } from '../kept/favourite-button.tsx';
import { useRecording } from '../kept/kept-flags.ts';
import { lazyPart } from '../lazy-part.tsx';
import { isMissing, Loaded, Missing } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { PastBanner } from '../past/past-banner.tsx';
import { type GapSide, type PastTime, withPast } from '../past/past-time.ts';
import { TimeChoice } from '../past/time-choice.tsx';
import { Uncertain, uncertainIn } from '../past/uncertain.tsx';
import { IsPast, usePastTime } from '../past/use-past-time.ts';
import { statusQuery } from '../queries.ts';
import { useAllowed } from '../use-allowed.ts';
import { useMayEdit } from './may-edit.ts';
import { Overview } from './overview.tsx';
import { Owners } from './owners.tsx';
import type { FeaturePlace, RestorePlace } from './place.ts';
import { Evidence } from './usage/evidence.tsx';

const TABS = {
  overview: 'Overview',
  edit: 'Edit',
  evaluate: 'Evaluate',
  owners: 'Owners',
  history: 'History',
  changes: 'What changed',
  yaml: 'YAML',
} as const;

const EditTab = lazyPart(async () => (await import('../editor/edit-tab.tsx')).EditTab);
const EvaluateTab = lazyPart(async () => (await import('../playground/evaluate-tab.tsx')).EvaluateTab);
const History = lazyPart(async () => (await import('../editor/history/history.tsx')).History);
const ChangesBetween = lazyPart(async () => (await import('../past/changes-between.tsx')).ChangesBetween);
const PutBackTab = lazyPart(async () => (await import('../past/put-back-tab.tsx')).PutBackTab);
const FeatureActions = lazyPart(async () => (await import('../editor/feature-actions.tsx')).FeatureActions);
const ManifestTab = lazyPart(async () => (await import('./manifest-tab.tsx')).ManifestTab);

export function FeaturePage({ place: present }: { readonly place: FeaturePlace }) {
  const { projectId, featureName } = present;
  const past = useShownTime();
  const { show } = usePastTime();
  const isPutBack = useSearchParams()[0].get('tab') === 'restore';
  const place = past ? { ...present, past } : present;
  // Archived flags have a status, too. The page of a flag that does not exist has no buttons.
  const status = useQuery(statusQuery(place));
  useRecording({ project: projectId, name: featureName }, status.isSuccess);
  return (
    <Page title={featureName} project={projectId} aside={<TimeChoice past={past} onShow={show} />}>
      {past && !isPutBack && (
        <Banner place={{ ...present, past }} exists={status.isSuccess} onNow={() => show(undefined)} />
      )}
      <Shown place={place} status={status} onSide={(inGap) => past && show({ ...past, inGap })} />
    </Page>
  );
}

/** The evaluation has a time of its own, which may also be in the future. */
function useShownTime(): PastTime | undefined {
  const [search] = useSearchParams();
  const { past } = usePastTime();
  const isEvaluation = search.get('tab') === 'evaluate';
  return past && isEvaluation && !(Date.parse(past.at) < Date.now()) ? undefined : past;
}

interface BannerProps {
  readonly place: RestorePlace;
  readonly exists: boolean;
  readonly onNow: () => void;
}

function Banner({ place: { past, projectId, featureName }, exists, onNow }: BannerProps) {
  const isAllowed = useAllowed(projectId);
  const path = featurePath(projectId, featureName);
  return (
    <PastBanner past={past} onNow={onNow}>
      <Link href={`${path}?${new URLSearchParams({ tab: 'changes', from: past.at })}`} className="button">
        What changed since
      </Link>
      {exists && isAllowed(FLAG_ENDPOINTS.restore) && (
        <Link href={withPast(path, past, { tab: 'restore' })} className="button">
          Put back…
        </Link>
      )}
    </PastBanner>
  );
}

interface ShownProps {
  readonly place: FeaturePlace;
  readonly status: UseQueryResult<Schemas['FeatureStatus']>;
  readonly onSide: (inGap: GapSide) => void;
}

function Shown({ place, status, onSide }: ShownProps) {
  const { projectId, featureName, past } = place;
  const between = uncertainIn(status.error);
  if (between) return <Uncertain between={between} what="The flag, or what it depends on," onChoose={onSide} />;
  if (isMissing(status.error))
    return past ? <p className="empty">There was no such flag then.</p> : <Gone place={place} />;
  return (
    <Loaded query={status}>
      {({ archived }) => <Parts key={`${projectId} ${featureName}`} place={place} isArchived={archived} />}
    </Loaded>
  );
}

/** A flag that is gone has a past. */
function Gone({ place: { projectId, featureName } }: { readonly place: FeaturePlace }) {
  return (
    <Missing what={`the flag ${featureName} in the project ${projectId}`}>
      <br />
      If it is gone: <Link href={`/events?${new URLSearchParams({ feature: featureName })}`}>search its history</Link>,
      or choose a time above to look at it as it was.
    </Missing>
  );
}

interface PartsProps {
  readonly place: FeaturePlace;
  readonly isArchived: boolean;
}

/** The tabs of an archived flag that say something about it. */
const OF_ARCHIVED: readonly string[] = ['overview', 'history', 'changes'];
/** The tabs that show a past time. */
const OF_PAST: readonly string[] = ['overview', 'evaluate', 'yaml'];

/** The tabs to offer. `Edit` is offered once it is known that the user may edit. */
function tabsOf({ place: { past }, isArchived }: PartsProps, mayEdit: boolean | undefined): readonly string[] {
  return Object.keys(TABS).filter((tab) => {
    if (isArchived && !OF_ARCHIVED.includes(tab)) return false;
    if (past) return OF_PAST.includes(tab);
    return tab !== 'edit' || mayEdit === true;
  });
}

function Parts(props: PartsProps) {
  const { place, isArchived } = props;
  const { projectId, featureName, past } = place;
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const chosen = search.get('tab') ?? 'overview';
  const mayEdit = useMayEdit(projectId);
  const tabs = tabsOf(props, mayEdit);
  // An editor that is open stays while the permissions are read.
  const isShown = tabs.includes(chosen) || (mayEdit === undefined && tabsOf(props, true).includes(chosen));
  const path = featurePath(projectId, featureName);
  if (past && chosen === 'restore') {
    return (
      <PutBackTab
        place={{ ...place, past }}
        onBack={() => navigate(withPast(path, past))}
        onDone={() => navigate(path)}
      />
    );
  }
  return (
    <IsPast value={past !== undefined}>
      <div className="tabs">
        <nav aria-label="Parts of the flag">
          {Object.entries(TABS)
            .filter(([tab]) => tabs.includes(tab))
            .map(([tab, name]) => (
              <Link
                key={tab}
                href={withPast(path, past, tab === 'overview' ? {} : { tab })}
                aria-current={tab === chosen ? 'page' : undefined}
              >
                {name}
              </Link>
            ))}
        </nav>
        <FavouriteButton project={projectId} name={featureName} />
        {!isArchived && !past && <FeatureActions place={place} />}
      </div>
      <Tab chosen={isShown ? chosen : 'overview'} {...props} />
    </IsPast>
  );
}

/** The use of the flag from its status, as kubectl shows it. */
function UsageSentence({ place }: Pick<PartsProps, 'place'>) {
  const { data: status } = useQuery(statusQuery(place));
  return status?.usage ? <p className="message">{status.usage.message}</p> : null;
}

function Tab({ chosen, place, isArchived }: PartsProps & { readonly chosen: string }) {
  if (chosen === 'edit') return <EditTab place={place} />;
  if (chosen === 'evaluate') return <EvaluateTab place={place} />;
  if (chosen === 'owners') return <Owners place={place} />;
  if (chosen === 'history') return <History place={place} />;
  if (chosen === 'changes') return <ChangesBetween projectId={place.projectId} feature={place.featureName} />;
  if (chosen === 'yaml') return <ManifestTab place={place} />;
  if (place.past)
    return isArchived ? (
      <p className="notice">The flag was archived, and off everywhere.</p>
    ) : (
      <Overview place={place} />
    );
  return (
    <>
      <UsageSentence place={place} />
      <Evidence place={place} />
      {isArchived ? (
        <p className="notice">
          The flag is archived, and off everywhere. <Link href="/archive">Revive it in the archive</Link>
        </p>
      ) : (
        <Overview place={place} />
      )}
    </>
  );
}
