/** The flags of a project, with a switch for each environment. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { EnvironmentMarks } from '../freeze-notice.tsx';
import { lazyPart } from '../lazy-part.tsx';
import { ShowMore } from '../list/show-more.tsx';
import { Loaded } from '../loaded.tsx';
import { environmentsQuery } from '../queries.ts';
import { useAllowed, useEnvironmentsAllowing } from '../use-allowed.ts';
import { BULK_ENDPOINTS } from './bulk-paths.ts';
import { FeatureRow } from './feature-row.tsx';
import { featuresQuery } from './features-query.ts';
import { isFiltered, useFilter } from './filter.ts';
import { FilterForm } from './filter-form.tsx';
import { ProjectFrame } from './project-frame.tsx';

const NONE: ReadonlySet<string> = new Set();

const NewFlag = lazyPart(async () => (await import('./new-flag.tsx')).NewFlag);
const BulkBar = lazy(async () => ({ default: (await import('./bulk-bar.tsx')).BulkBar }));

/** More rows make the page slow. */
const ROWS_AT_ONCE = 100;
/** The largest page of the search. */
const MAX_ROWS = 1_000;

export function ProjectPage({ projectId }: { readonly projectId: string }) {
  const [filter] = useFilter();
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  const features = useQuery(featuresQuery(projectId, filter, limit));
  const environments = useQuery(environmentsQuery(projectId));
  return (
    <ProjectFrame projectId={projectId}>
      <Loaded query={environments}>
        {(environmentList) => (
          <>
            <div className="above-list">
              <FilterForm />
              <Creation projectId={projectId} />
            </div>
            <Loaded query={features}>
              {(found) => (
                <Flags
                  {...{ projectId, environments: environmentList, ...found, isFiltered: isFiltered(filter) }}
                  onMore={() => setLimit(Math.min(limit + ROWS_AT_ONCE, MAX_ROWS))}
                />
              )}
            </Loaded>
          </>
        )}
      </Loaded>
    </ProjectFrame>
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
  readonly isFiltered: boolean;
  readonly onMore: () => void;
}

function Flags({ projectId, environments, features, total, isFiltered, onMore }: FlagsProps) {
  const isAllowed = useAllowed(projectId);
  const [selected, setSelected] = useState<ReadonlySet<string>>(NONE);
  // Flags that are not shown any more are not selected.
  const chosen = features.filter(({ name }) => selected.has(name));
  const shown = chosen.map(({ name }) => name);
  const select = (name: string, isSelected: boolean) =>
    setSelected(new Set(isSelected ? [...shown, name] : shown.filter((one) => one !== name)));
  const switchable = useEnvironmentsAllowing(projectId, environments, BULK_ENDPOINTS.switches) ?? [];
  const selectable = switchable.length > 0 || isAllowed(BULK_ENDPOINTS.stale) || isAllowed(BULK_ENDPOINTS.archive);
  if (total === 0) {
    return <p className="empty">{isFiltered ? 'No flag matches the search.' : 'This project has no flags yet.'}</p>;
  }
  const count = total === 1 ? '1 flag' : `${total} flags`;
  return (
    <>
      <p role="status" className="hint">
        {features.length === total ? count : `The first ${features.length} of ${count}`}
      </p>
      {shown.length > 0 && (
        <Suspense>
          <BulkBar {...{ projectId, environments: switchable, selected: chosen }} onDone={() => setSelected(NONE)} />
        </Suspense>
      )}
      <table className="flags">
        <thead>
          <tr>
            <th scope="col">Flag</th>
            {environments.map(({ name, displayName, freeze, ...environment }) => (
              <th key={name} scope="col">
                {displayName} <EnvironmentMarks protected={environment.protected} freeze={freeze} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {features.map((feature) => (
            <FeatureRow
              key={feature.name}
              {...{ projectId, environments, feature }}
              isSelected={selected.has(feature.name)}
              onSelect={selectable ? select : undefined}
            />
          ))}
        </tbody>
      </table>
      {features.length < Math.min(total, MAX_ROWS) && <ShowMore onMore={onMore} />}
      {features.length === MAX_ROWS && total > MAX_ROWS && <p className="hint">Search for the others.</p>}
    </>
  );
}
