/** The envelope of the answer to `GET /api/client/features`. */
import type { ClientSegment } from '../../evaluation/client-document.ts';

/** The flags that are requested, and their form. */
export interface SnapshotQuery {
  readonly environment: string;
  /** Ids; undefined: all projects. */
  readonly projects: readonly string[] | undefined;
  /** Tags as `type:value`; a flag needs one of them. Undefined: any flag. */
  readonly tags?: readonly string[] | undefined;
  readonly namePrefix?: string | undefined;
  /**
   * For SDKs that know no segments: strategies contain the constraints of their segments. Absent: the answer has
   * segments.
   */
  readonly inlinesSegments?: boolean | undefined;
  /** For edges: flags have the member `vexil`. */
  readonly isForEdge?: boolean | undefined;
}

export const OPENING = '{"version":2,"features":[';

/** `segments` are the segments that flags of the answer use, each once. */
export function closingOf(asked: SnapshotQuery, segments: readonly ClientSegment[]): string {
  const { environment, projects, tags, namePrefix, inlinesSegments = false } = asked;
  const query = {
    environment,
    ...(projects && { project: projects }),
    ...(namePrefix !== undefined && { namePrefix }),
    ...(tags && { tag: tags.map(splitTag) }),
    inlineSegmentConstraints: inlinesSegments,
  };
  const listed = inlinesSegments ? '' : `,"segments":${JSON.stringify(segments)}`;
  return `]${listed},"query":${JSON.stringify(query)}}`;
}

function splitTag(tag: string): readonly string[] {
  const colon = tag.indexOf(':');
  return [tag.slice(0, colon), tag.slice(colon + 1)];
}
