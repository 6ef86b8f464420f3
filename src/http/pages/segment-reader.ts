/** Which segments the caller may read. */
import { readableObjects } from '../../access/readable/readable-objects.ts';
import type { Services } from '../../actions/services.ts';
import { type Segment, segment as segmentKind } from '../../schema/segment.ts';
import type { ReadsSegment } from '../../wire/playground/why-words.ts';

/** Flags show the names of the segments that they use, but not the content of segments. */
export async function segmentReader({ catalog, caller }: Services): Promise<ReadsSegment> {
  const reading = { caller, resource: segmentKind.plural, refOf: ({ metadata }: Segment) => metadata };
  const readable = new Set((await readableObjects(catalog.segments(), reading)).map(({ status }) => status?.id));
  return (id) => readable.has(id);
}
