/** The query of `GET /api/client/features`. */
import { z } from 'zod';
import { repeated } from '../admin/query.ts';
import type { SnapshotQuery } from './document.ts';

const TAG = /^[^:]+:/;

/** The environment is read earlier, because it determines the caller. */
export const featuresQuery = z.object({
  environment: z.string().optional().meta({
    description:
      'The environment, only with `VEXIL_AUTH=none`. Absent: the first in order. In all other cases, the environment is that of the token.',
  }),
  project: repeated.meta({
    description: 'Only flags of these projects. Ignored for a token that is for some projects.',
  }),
  tag: repeated
    .refine((tags) => tags.every((tag) => TAG.test(tag)), { message: 'a tag is type:value' })
    .meta({ description: 'Only flags with one of these tags, written `type:value`.' }),
  namePrefix: z.string().optional().meta({ description: 'Only flags whose names start with this text.' }),
});

type QueryScope = Pick<SnapshotQuery, 'environment' | 'projects' | 'inlinesSegments' | 'isForEdge'>;

/** The projects of the token take precedence over those of the query. */
export function snapshotQuery(scope: QueryScope, asked: z.output<typeof featuresQuery>): SnapshotQuery {
  const { projects, ...rest } = scope;
  const { project, tag, namePrefix } = asked;
  return {
    ...rest,
    projects: projects?.toSorted() ?? sortedSet(project),
    tags: sortedSet(tag),
    namePrefix: namePrefix === '' ? undefined : namePrefix,
  };
}

/** Undefined if the list is empty. */
function sortedSet(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : [...new Set(values)].toSorted();
}
