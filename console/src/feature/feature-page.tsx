/** The page of a flag: its state by environment, owners of fields, history, manifest and editor. */
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { featurePath } from '../feature-link.tsx';
import { FavouriteButton } from '../kept/favourite-button.tsx';
import { useRecording } from '../kept/kept-flags.ts';
import { lazyPart } from '../lazy-part.tsx';
import { isMissing, Loaded, Missing } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { statusQuery } from '../queries.ts';
import { useMayEdit } from './may-edit.ts';
import { Overview } from './overview.tsx';
import { Owners } from './owners.tsx';
import type { FeaturePlace } from './place.ts';
import { Evidence } from './usage/evidence.tsx';
import { UsageSentence } from './usage/usage-sentence.tsx';

const TABS = {
  overview: 'Overview',
  edit: 'Edit',
  evaluate: 'Evaluate',
  owners: 'Owners',
  history: 'History',
  yaml: 'YAML',
} as const;

const EditTab = lazyPart(async () => (await import('../editor/edit-tab.tsx')).EditTab);
const EvaluateTab = lazyPart(async () => (await import('../playground/evaluate-tab.tsx')).EvaluateTab);
const History = lazyPart(async () => (await import('../editor/history/history.tsx')).History);
const FeatureActions = lazyPart(async () => (await import('../editor/feature-actions.tsx')).FeatureActions);
const ManifestTab = lazyPart(async () => (await import('./manifest-tab.tsx')).ManifestTab);

export function FeaturePage({ place }: { readonly place: FeaturePlace }) {
  const { projectId, featureName } = place;
  // Archived flags have a status, too. The page of a flag that does not exist has no buttons.
  const status = useQuery(statusQuery(place));
  useRecording({ project: projectId, name: featureName }, status.isSuccess);
  return (
    <Page title={featureName} project={projectId}>
      {isMissing(status.error) ? (
        <Missing what={`the flag ${featureName} in the project ${projectId}`} />
      ) : (
        <Loaded query={status}>{({ archived }) => <Parts place={place} isArchived={archived} />}</Loaded>
      )}
    </Page>
  );
}

interface PartsProps {
  readonly place: FeaturePlace;
  readonly isArchived: boolean;
}

/** The tabs of an archived flag that say something about it. */
const OF_ARCHIVED: readonly string[] = ['overview', 'history'];

function Parts({ place, isArchived }: PartsProps) {
  const [search] = useSearchParams();
  const chosen = search.get('tab') ?? 'overview';
  const mayEdit = useMayEdit(place.projectId);
  const path = featurePath(place.projectId, place.featureName);
  return (
    <>
      <div className="tabs">
        <nav aria-label="Parts of the flag">
          {Object.entries(TABS)
            .filter(([tab]) => (isArchived ? OF_ARCHIVED.includes(tab) : tab !== 'edit' || mayEdit))
            .map(([tab, name]) => (
              <Link
                key={tab}
                href={tab === 'overview' ? path : `${path}?tab=${tab}`}
                aria-current={tab === chosen ? 'page' : undefined}
              >
                {name}
              </Link>
            ))}
        </nav>
        <FavouriteButton project={place.projectId} name={place.featureName} />
        {!isArchived && <FeatureActions place={place} />}
      </div>
      <Tab chosen={chosen === 'edit' && mayEdit === false ? 'overview' : chosen} {...{ place, isArchived }} />
    </>
  );
}

function Tab({ chosen, place, isArchived }: PartsProps & { readonly chosen: string }) {
  if (chosen === 'edit') return <EditTab place={place} />;
  if (chosen === 'evaluate') return <EvaluateTab place={place} />;
  if (chosen === 'owners') return <Owners place={place} />;
  if (chosen === 'history') return <History place={place} />;
  if (chosen === 'yaml') return <ManifestTab place={place} />;
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
