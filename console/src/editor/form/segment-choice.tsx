/** Chooses the segments of a strategy. */
import { useQuery } from '@tanstack/react-query';
import { segmentsQuery } from '../form-queries.ts';
import { NamePicker } from './name-picker.tsx';

interface SegmentChoiceProps {
  readonly projectId: string;
  readonly segments: readonly number[];
  readonly onChange: (segments: readonly number[]) => void;
}

export function SegmentChoice({ projectId, segments, onChange }: SegmentChoiceProps) {
  const { data = [] } = useQuery(segmentsQuery);
  const usable = data.filter(
    ({ id, project }) => (project === null || project === projectId) && !segments.includes(id),
  );
  const nameOfSegment = (id: number) => data.find((one) => one.id === id)?.name ?? `segment ${id}`;
  return (
    <>
      {segments.length > 0 && (
        <ul className="chips" aria-label="Segments">
          {segments.map((id) => (
            <li key={id}>
              {nameOfSegment(id)}
              <button
                type="button"
                className="quiet"
                aria-label={`Remove the segment ${nameOfSegment(id)}`}
                onClick={() => onChange(segments.filter((one) => one !== id))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {usable.length > 0 ? (
        <NamePicker
          label="Segment"
          action="Add the segment"
          names={usable.map(({ name }) => name)}
          onPick={(name) => onChange([...segments, ...usable.filter((one) => one.name === name).map(({ id }) => id)])}
        />
      ) : (
        <p className="hint">There is no other segment for this project.</p>
      )}
    </>
  );
}
