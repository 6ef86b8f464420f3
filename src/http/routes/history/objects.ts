/** GET /history/KIND/NAME: an object as it is, or as it was. */
import { z } from 'zod';
import {
  type Requirement,
  toHome,
  toProject,
  toSearchUsers,
  toSegmentNamed,
} from '../../../access/authorization/requirements.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { Named } from '../../../domain/identity/names.ts';
import { Refusal } from '../../../errors.ts';
import type { Kind } from '../../../model/kind.ts';
import type { AnyObject } from '../../../model/object.ts';
import { environment as environmentKind } from '../../../schema/environment.ts';
import type { DecidingKindName } from '../../../schema/kinds.ts';
import { project as projectKind } from '../../../schema/project.ts';
import { segment as segmentKind } from '../../../schema/segment.ts';
import { strategyDefinition } from '../../../schema/strategy-definition.ts';
import { presentObject, wireObject } from '../../../wire/admin/past/object.ts';
import { pastParams } from '../../../wire/past-query.ts';
import type { PastQuestion } from '../../pages/past.ts';
import { askPast } from '../../route/past-services.ts';
import { type Route, route } from '../../route/route.ts';
import { environmentNamePath } from '../environments.ts';
import { projectPath } from '../projects.ts';
import { strategyTypePath } from '../strategy-types.ts';

type Find<P> = (catalog: Catalog, params: P) => (AnyObject & Named) | undefined;

interface ObjectRoute<P> {
  readonly kind: Pick<Kind<unknown, unknown>, 'kind'>;
  readonly path: string;
  readonly params: z.ZodType<P>;
  readonly requires: Requirement<NoInfer<P>>;
  readonly alsoRequires?: readonly Requirement<NoInfer<P>>[];
  readonly find: Find<NoInfer<P>>;
  /** What the question is about, besides environments and strategy types. */
  readonly about?: (params: NoInfer<P>) => Pick<PastQuestion, 'project' | 'segments'>;
}

function objectRoute<P>({ kind: { kind }, path, find, about, ...parts }: ObjectRoute<P>): Route {
  return route({
    ...parts,
    method: 'get',
    path: `/history/${path}`,
    summary: `Read the ${kind} that has the name now, or had it at a past time, as its manifest.`,
    errors: ['not-found'],
    query: z.object(pastParams),
    answer: 200,
    response: wireObject,
    past: ({ params, query }) => {
      const { project, segments = [] } = about?.(params) ?? {};
      const question = askPast(query, { of: 'names', names: [] }, project);
      return question && { ...question, segments };
    },
    handle: ({ catalog }, { params }) => {
      const found = find(catalog, params);
      if (found) return presentObject(kind, found);
      throw new Refusal('not-found', `There is no ${kind} with this name.`);
    },
  });
}

const segmentNamePath = z.object({
  segmentName: z.string().meta({ description: 'The name of the segment.', examples: ['staff'] }),
});

interface AtHome<P> extends Pick<ObjectRoute<P>, 'path' | 'params' | 'find'> {
  readonly kind: Pick<Kind<unknown, unknown>, 'kind' | 'plural'>;
  /** The name in the path. */
  readonly sent: (params: NoInfer<P>) => string;
}

/** For a kind that exists only in the operator namespace. */
function homeRoute<P>({ kind, find, sent, ...parts }: AtHome<P>): Route {
  const requires = toHome<P>({
    ...{ verb: 'get', resource: kind.plural, permission: 'NONE' },
    find: ({ catalog }, params) => find(catalog, params),
    sent,
  });
  return objectRoute({ ...parts, kind, find, requires });
}

/** Flags have a place below their project. */
const routes: Readonly<Record<Exclude<DecidingKindName, 'flags'>, Route>> = {
  projects: objectRoute({
    kind: projectKind,
    path: 'projects/:projectId',
    params: projectPath,
    requires: toProject('get', 'NONE'),
    // A project names its members.
    alsoRequires: [toSearchUsers],
    find: (catalog, { projectId }) => catalog.project(projectId),
    about: ({ projectId }) => ({ project: projectId }),
  }),
  segments: objectRoute({
    kind: segmentKind,
    path: 'segments/:segmentName',
    params: segmentNamePath,
    requires: toSegmentNamed('get', 'NONE'),
    find: (catalog, { segmentName }) => catalog.segmentNamed(segmentName),
    about: ({ segmentName }) => ({ segments: [segmentName] }),
  }),
  environments: homeRoute({
    kind: environmentKind,
    path: 'environments/:environment',
    params: environmentNamePath,
    find: (catalog, { environment }) => catalog.environment(environment),
    sent: ({ environment }) => environment,
  }),
  strategyTypes: homeRoute({
    kind: strategyDefinition,
    path: 'strategies/:strategyName',
    params: strategyTypePath,
    find: (catalog, { strategyName }) => catalog.strategyDefinition(strategyName),
    sent: ({ strategyName }) => strategyName,
  }),
};

export const objectRoutes = Object.values(routes);
