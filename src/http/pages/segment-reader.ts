/** Which segments the caller may read. */
import { readableObjects } from '../../access/readable/readable-objects.ts';
import type { Services } from '../../actions/services.ts';
import { type Segment, segment as segmentKind } from '../../schema/segment.ts';
import type { ReadsSegment } from '../../wire/playground/why-words.ts';

export function readableSegments({ catalog, caller }: Services): Promise<readonly Segment[]> {
  const refOf = ({ metadata }: Segment) => metadata;
  return readableObjects(catalog.segments(), { caller, resource: segmentKind.plural, refOf });
}

/** Flags show the names of the segments that they use, but not the content of segments. */
export async function segmentReader(services: Services): Promise<ReadsSegment> {
  const readable = new Set((await readableSegments(services)).map(({ status }) => status?.id));
  return (id) => readable.has(id);
}
