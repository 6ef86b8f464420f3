/** The envelope of the answer to `GET /api/client/features`. */
import type { ClientSegment } from '../../evaluation/client-document.ts';

/** What of the flags is asked for. */
export interface SnapshotQuery {
  readonly environment: string;
  /** Ids; undefined: all. */
  readonly projects: readonly string[] | undefined;
  /** As `type:value`; a flag needs one of them. Undefined: any flag. */
  readonly tags?: readonly string[] | undefined;
  readonly namePrefix?: string | undefined;
}

export const OPENING = '{"version":2,"features":[';

/** JSON; flags use none. */
export const SEGMENTS = JSON.stringify([] satisfies readonly ClientSegment[]);

export function closingOf({ environment, projects, tags, namePrefix }: SnapshotQuery): string {
  const query = {
    environment,
    ...(projects && { project: projects }),
    ...(namePrefix !== undefined && { namePrefix }),
    ...(tags && { tag: tags.map(splitTag) }),
    inlineSegmentConstraints: false,
  };
  return `],"segments":${SEGMENTS},"query":${JSON.stringify(query)}}`;
}

function splitTag(tag: string): readonly string[] {
  const colon = tag.indexOf(':');
  return [tag.slice(0, colon), tag.slice(colon + 1)];
}
