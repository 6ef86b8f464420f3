/** The segments, with the flags that use them. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { segmentsQuery } from '../editor/form-queries.ts';
import { constraintText } from '../feature/sentences.ts';
import { FilterField } from '../list/filter-field.tsx';
import { ShowMore } from '../list/show-more.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { REFETCH_MS } from '../queries.ts';
import { useAllowed } from '../use-allowed.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { SEGMENT_ENDPOINTS } from './segment-paths.ts';
import '../style/editor.css';

export function SegmentsPage() {
  const query = useQuery({ ...segmentsQuery, refetchInterval: REFETCH_MS });
  const isAllowed = useAllowed();
  return (
    <Page title="Segments">
      {isAllowed(SEGMENT_ENDPOINTS.create) && (
        <p className="actions">
          <Link href="/segments/create" className="button primary">
            New segment
          </Link>
        </p>
      )}
      <Loaded query={query}>{(segments) => <Segments segments={segments} />}</Loaded>
    </Page>
  );
}

/** More rows make the page slow. */
const ROWS_AT_ONCE = 100;

function Segments({ segments }: { readonly segments: readonly Schemas['Segment'][] }) {
  const [search, setSearch] = useState('');
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  const [removed, setRemoved] = useState<Schemas['Segment']>();
  if (segments.length === 0) return <p className="empty">There is no segment that you may see.</p>;
  const wanted = search.trim().toLowerCase();
  const found = segments.filter(({ name, description }) =>
    `${name} ${description ?? ''}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <FilterField value={search} onChange={setSearch} />
      <p role="status" className="hint">
        {found.length} of {segments.length} segments
      </p>
      <table className="flags">
        <thead>
          <tr>
            <th scope="col">Segment</th>
            <th scope="col">Users for whom</th>
            <th scope="col">Used by</th>
            <th scope="col">
              <span className="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, limit).map((segment) => (
            <SegmentRow key={segment.id} segment={segment} onRemove={() => setRemoved(segment)} />
          ))}
        </tbody>
      </table>
      {found.length > limit && <ShowMore onMore={() => setLimit(limit + ROWS_AT_ONCE)} />}
      {removed && <DeleteDialog segment={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}

interface SegmentRowProps {
  readonly segment: Schemas['Segment'];
  readonly onRemove: () => void;
}

function SegmentRow({ segment, onRemove }: SegmentRowProps) {
  const { id, name, description, project, constraints, usedInFeatures } = segment;
  const isAllowed = useAllowed(project ?? undefined);
  return (
    <tr>
      <th scope="row">
        {isAllowed(SEGMENT_ENDPOINTS.change) ? <Link href={`/segments/edit/${id}`}>{name}</Link> : name}{' '}
        {project !== null && <span className="mark">{project}</span>}
        {description && <p className="hint">{description}</p>}
      </th>
      <td>
        <span className="narrow-label">Users for whom</span>
        {constraints.length === 0 ? 'all users' : constraints.map(constraintText).join(' and ')}
      </td>
      <td>
        <span className="narrow-label">Used by</span>
        {usedInFeatures === 1 ? '1 flag' : `${usedInFeatures} flags`}
      </td>
      <td>
        {isAllowed(SEGMENT_ENDPOINTS.remove) && (
          <button type="button" className="danger" aria-label={`Delete ${name}`} onClick={onRemove}>
            Delete
          </button>
        )}
      </td>
    </tr>
  );
}
