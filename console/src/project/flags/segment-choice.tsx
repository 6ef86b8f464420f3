/** Chooses the segment that flags must use. */
import { useQuery } from '@tanstack/react-query';
import { segmentsQuery } from '../../editor/form-queries.ts';

interface SegmentChoiceProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** Shows nothing if there are no segments and the address has none. */
export function SegmentChoice({ value, onChange }: SegmentChoiceProps) {
  const { data: segments = [] } = useQuery(segmentsQuery);
  const names = [...new Set([...segments.map(({ name }) => name), ...(value === '' ? [] : [value])])];
  if (names.length === 0) return null;
  return (
    <label>
      Segment
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">Any</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
