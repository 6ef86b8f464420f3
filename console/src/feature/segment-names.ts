/** Finds the names of segments, which strategies refer to by id. */
import { useQuery } from '@tanstack/react-query';
import { segmentsQuery } from '../editor/form-queries.ts';
import type { SegmentNames } from './sentences.ts';

/** Returns the id for a segment that the user may not see. */
export function useSegmentNames(): SegmentNames {
  const { data: segments = [] } = useQuery(segmentsQuery);
  return (id) => segments.find((one) => one.id === id)?.name ?? `${id}`;
}
