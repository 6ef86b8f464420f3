/** The names of segments, which strategies have as ids. */
import { useQuery } from '@tanstack/react-query';
import { segmentsQuery } from '../editor/form-queries.ts';
import type { SegmentNames } from './sentences.ts';

/** Of a segment that the user may not see, the id. */
export function useSegmentNames(): SegmentNames {
  const { data: segments = [] } = useQuery(segmentsQuery);
  return (id) => segments.find((one) => one.id === id)?.name ?? `${id}`;
}
