/** The flags of a project, with a switch for each environment. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { EnvironmentMarks } from '../freeze-notice.tsx';
import { useFavourites } from '../kept/kept-flags.ts';
import { lazyPart } from '../lazy-part.tsx';
import { ShowMore } from '../list/show-more.tsx';
import { Loaded } from '../loaded.tsx';
import { PastBanner } from '../past/past-banner.tsx';
import { TimeChoice } from '../past/time-choice.tsx';
import { usePastTime } from '../past/use-past-time.ts';
import { environmentsQuery } from '../queries.ts';
import { useAllowed } from '../use-allowed.ts';
import { FeatureRow } from './flags/feature-row.tsx';
import { featuresQuery } from './flags/features-query.ts';
import { addressOf, type Filter, filterIn, isFiltered, useFilter } from './flags/filter.ts';
import { FilterForm } from './flags/filter-form.tsx';
import { MAX_SELECTED, useSelection } from './flags/use-selection.ts';
import { Views } from './flags/views.tsx';
import { ProjectFrame } from './project-frame.tsx';

const PastFlags = lazyPart(async () => (await import('../past/past-flags.tsx')).PastFlags);
const NewFlag = lazyPart(async () => (await import('./new-flag.tsx')).NewFlag);
const BulkBar = lazy(async () => ({ default: (await import('./flags/bulk-bar.tsx')).BulkBar }));

/** More rows make the page slow. */
const ROWS_AT_ONCE = 100;
/** With more environments, windows of usual size have no room for all columns. */
const FEW_ENVIRONMENTS = 4;
/** The largest page of the search. */
const MAX_ROWS = 1_000;

export function ProjectPage({ projectId }: { readonly projectId: string }) {
  const { past, show } = usePastTime();
  return (
    <ProjectFrame projectId={projectId} isWide aside={<TimeChoice past={past} onShow={show} />}>
      {past ? (
        <>
          <PastBanner past={past} onNow={() => show(undefined)}>
            <Link
              href={`/projects/${encodeURIComponent(projectId)}/changes?${new URLSearchParams({ from: past.at })}`}
              className="button"
            >
              What changed since
            </Link>
          </PastBanner>
          <PastFlags projectId={projectId} past={past} onSide={(inGap) => show({ ...past, inGap })} />
        </>
      ) : (
        <PresentFlags projectId={projectId} />
      )}
    </ProjectFrame>
  );
}

function PresentFlags({ projectId }: { readonly projectId: string }) {
  const [filter] = useFilter();
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  const favourites = useFavourites().list.filter(({ project }) => project === projectId);
  const features = useQuery(featuresQuery(projectId, filter, { limit, favourites }));
  const environments = useQuery(environmentsQuery(projectId));
  return (
    <Loaded query={environments}>
      {(environmentList) => (
        <>
          <div className="above-list">
            <FilterForm environments={environmentList} />
            <Creation projectId={projectId} />
          </div>
          <Views projectId={projectId} />
          <Loaded query={features}>
            {(found) => (
              <Flags
                {...{ projectId, environments: environmentList, ...found, filter }}
                onMore={(count) => setLimit(Math.min(count, MAX_ROWS))}
              />
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

function Creation({ projectId }: { readonly projectId: string }) {
  const isAllowed = useAllowed(projectId);
  const [isOpen, setOpen] = useState(false);
  if (!isAllowed('POST /projects/{projectId}/features')) return null;
  return (
    <>
      <button type="button" className="primary" onClick={() => setOpen(true)}>
        New flag
      </button>
      {isOpen && <NewFlag projectId={projectId} onClose={() => setOpen(false)} />}
    </>
  );
}

interface FlagsProps {
  readonly projectId: string;
  readonly environments: readonly Schemas['ProjectEnvironment'][];
  readonly features: readonly Schemas['FoundFeature'][];
  readonly total: number;
  readonly filter: Filter;
  /** Takes the number of flags to show. */
  readonly onMore: (count: number) => void;
}

function Flags({ projectId, environments, features, total, filter, onMore }: FlagsProps) {
  const { selectable, switchable, chosen, ...selection } = useSelection(projectId, environments, features);
  if (total === 0) return <p className="empty">{emptyText(filter)}</p>;
  const count = total === 1 ? '1 flag' : `${total} flags`;
  const most = Math.min(total, MAX_SELECTED);
  const selectMost = () => {
    selection.selectLater(most);
    onMore(most);
  };
  return (
    <>
      <p role="status" className="hint count">
        {features.length === total ? count : `The first ${features.length} of ${count}`}
      </p>
      {chosen.length > 0 && (
        <Suspense>
          <BulkBar {...{ projectId, environments: switchable, selected: chosen }} onDone={selection.clear}>
            {chosen.length === features.length && chosen.length < most && (
              <button type="button" className="quiet" onClick={selectMost}>
                {total > most ? `Select the first ${most}` : `Select all ${total}`}
              </button>
            )}
          </BulkBar>
        </Suspense>
      )}
      <table className={environments.length > FEW_ENVIRONMENTS ? 'flags list many' : 'flags list'}>
        <thead>
          <tr>
            <th scope="col">
              <span className="flag-name">
                {selectable && (
                  <input
                    type="checkbox"
                    aria-label="Select all flags"
                    checked={chosen.length === Math.min(features.length, MAX_SELECTED)}
                    onChange={({ target }) => (target.checked ? selection.selectShown() : selection.clear())}
                  />
                )}
                Flag
              </span>
            </th>
            {environments.map(({ name, displayName, freeze, ...environment }) => (
              <th key={name} scope="col" className="environment">
                {displayName} <EnvironmentMarks protected={environment.protected} freeze={freeze} isShort />
              </th>
            ))}
            <th scope="col" className="tags">
              Tags
            </th>
            <th scope="col" className="seen">
              Last seen
            </th>
            <th scope="col" className="owner">
              Owner
            </th>
          </tr>
        </thead>
        <tbody>
          {features.map((feature) => (
            <FeatureRow
              key={feature.name}
              {...{ projectId, environments, feature }}
              isSelected={selection.has(feature.name)}
              onSelect={selectable ? selection.select : undefined}
            />
          ))}
        </tbody>
      </table>
      {features.length < Math.min(total, MAX_ROWS) && (
        <ShowMore onMore={() => onMore(features.length + ROWS_AT_ONCE)} />
      )}
      {features.length === MAX_ROWS && total > MAX_ROWS && <p className="hint">Search for the others.</p>}
    </>
  );
}

function emptyText(filter: Filter): string {
  if (addressOf(filter) === addressOf({ ...filterIn(new URLSearchParams()), show: 'favourites' })) {
    return 'You have no favourites in this project. The star beside the name of a flag makes it one, in this browser.';
  }
  return isFiltered(filter) ? 'No flag matches the search.' : 'This project has no flags yet.';
}
