/** The audit events of segments. */
import type { Segment } from '../../schema/segment.ts';
import { auditEvent, nowhere, type Place } from './audit-event.ts';
import type { EventMapping } from './kind.ts';
import type { Shapes } from './shapes.ts';
import { diffSegmentGrants } from './used-grants.ts';

const lifecycle = { created: 'segment-created', updated: 'segment-updated', deleted: 'segment-deleted' } as const;

export function segmentMapping({ segment: shape }: Shapes): EventMapping<Segment> {
  const place = ({ spec }: Segment): Place => ({ ...nowhere, project: spec.project ?? null });
  return {
    types: () => lifecycle,
    place,
    shape,
    changed: (before, after) => [
      auditEvent(lifecycle.updated, place(after), { data: shape(after), preData: shape(before) }),
      ...diffSegmentGrants(before, after, place(after)),
    ],
  };
}
