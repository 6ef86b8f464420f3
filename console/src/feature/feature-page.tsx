/** The page of a flag: its state by environment, owners of fields, history, manifest and editor. */
import { useSearchParams } from 'wouter';
import { lazyPart } from '../lazy-part.tsx';
import { Page } from '../page.tsx';
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
  const [search, setSearch] = useSearchParams();
  const chosen = search.get('tab') ?? 'overview';
  const mayEdit = useMayEdit(place.projectId);
  return (
    <Page title={place.featureName} project={place.projectId}>
      <div className="tabs">
        <nav aria-label="Parts of the flag">
          {Object.entries(TABS)
            .filter(([tab]) => tab !== 'edit' || mayEdit)
            .map(([tab, name]) => (
              <button
                key={tab}
                type="button"
                aria-current={tab === chosen ? 'page' : undefined}
                onClick={() => setSearch(tab === 'overview' ? {} : { tab })}
              >
                {name}
              </button>
            ))}
        </nav>
        <FeatureActions place={place} />
      </div>
      <Tab chosen={chosen === 'edit' && mayEdit === false ? 'overview' : chosen} place={place} />
    </Page>
  );
}

function Tab({ chosen, place }: { readonly chosen: string; readonly place: FeaturePlace }) {
  if (chosen === 'edit') return <EditTab place={place} />;
  if (chosen === 'evaluate') return <EvaluateTab place={place} />;
  if (chosen === 'owners') return <Owners place={place} />;
  if (chosen === 'history') return <History place={place} />;
  if (chosen === 'yaml') return <ManifestTab place={place} />;
  return (
    <>
      <UsageSentence place={place} />
      <Evidence place={place} />
      <Overview place={place} />
    </>
  );
}
