/** Chooses the segments of a strategy. */
import { useQuery } from '@tanstack/react-query';
import { Chips } from '../../chips.tsx';
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
        <Chips
          label="Segments"
          noun="segment"
          chips={segments.map((id) => ({
            key: `${id}`,
            text: nameOfSegment(id),
            onRemove: () => onChange(segments.filter((one) => one !== id)),
          }))}
        />
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
