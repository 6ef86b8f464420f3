/** /segments: constraints under a name, which strategies of several flags use. */
import { z } from 'zod';
import { namedByBody, signedIn, toNewSegment, toSegment } from '../../access/authorization/requirements.ts';
import { readableProjects } from '../../access/readable/readable-objects.ts';
import { checkNewSegment, createSegment } from '../../actions/create-segment.ts';
import { findSegment } from '../../catalog/find.ts';
import { isArchived, projectIdOf } from '../../domain/flag/flag-values.ts';
import { refuseLosingUsers, refuseSegmentInUse, strategiesWith, useOf } from '../../domain/flag/uses.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { changeSegment } from '../../domain/segment/edit-segment.ts';
import { invalid, quoteValue } from '../../model/invalid-input.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { type Segment, segment as segmentKind } from '../../schema/segment.ts';
import { exampleStrategy } from '../../wire/admin/flag/strategy.ts';
import { idInPath } from '../../wire/admin/id.ts';
import {
  presentAdminSegment,
  presentSegmentStrategies,
  wireSegment,
  wireSegmentStrategies,
  wireSegments,
} from '../../wire/admin/segment.ts';
import {
  segmentBody,
  segmentChangeOf,
  segmentNameBody,
  segmentSpecOfCreate,
  segmentUpdateBody,
} from '../../wire/admin/segment-input.ts';
import { readableSegments } from '../pages/segment-reader.ts';
import { manifestsAfter } from '../route/manifest.ts';
import { mapApiServerErrors } from '../route/map-api-server-errors.ts';
import { ifSeen, orManifest } from '../route/precondition.ts';
import { type RouteServices, route } from '../route/route.ts';
import { MANIFEST_TYPE, represent } from '../server/answer/representation.ts';

const segmentPath = z.object({ segmentId: idInPath('The id of the segment.', 7) });
const strategyPath = z.object({
  strategyId: z.string().meta({ description: 'The id of a strategy.', examples: [exampleStrategy.id] }),
});

function show({ catalog }: RouteServices, segment: Segment) {
  return presentAdminSegment(segment, useOf(catalog.flagsOfSegment(segment)));
}

function ifSegmentSeen(services: RouteServices, ifMatch: string | undefined) {
  return ifSeen(ifMatch, 'segment', (one: Segment) =>
    orManifest(ifMatch, [represent(show(services, one))], { kind: segmentKind.kind, object: one }),
  );
}

/** Undefined if the project does not exist. */
function namespaceOf({ catalog, home }: RouteServices, project: string | null | undefined): string | undefined {
  return typeof project === 'string' ? catalog.project(project)?.metadata.namespace : home;
}

/**
 * A segment in the operator namespace can be for any project, any other segment only for a project of its namespace.
 */
function refuseProject(services: RouteServices, project: string | null | undefined, segment?: Segment): void {
  if (typeof project !== 'string') return;
  const [there, here] = [namespaceOf(services, project), segment?.metadata.namespace];
  if (there !== undefined && (here === undefined || here === services.home || here === there)) return;
  const complaint =
    there === undefined
      ? 'must be the id of a project that there is.'
      : 'must be the id of a project of the same namespace: create another segment for that project.';
  throw invalid([{ part: 'body', keys: ['project'], complaint, value: quoteValue(project) }]);
}

/** The flags that use the segment and are not archived, in projects that the caller may read. */
async function readableUsers(services: RouteServices, flags: readonly FeatureFlag[]): Promise<readonly FeatureFlag[]> {
  const readable = new Set((await readableProjects(services)).map(({ project }) => wireNameOf(project)));
  return flags.filter((flag) => !isArchived(flag) && readable.has(projectIdOf(flag)));
}

export const segmentRoutes = [
  route({
    method: 'get',
    path: '/segments',
    summary: 'List the segments.',
    description:
      'The list has no paging. It has the segments that you may read. The answer has no `createdBy`: the history names the author.',
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireSegments,
    handle: async (services) => ({
      segments: (await readableSegments(services)).map((one) => show(services, one)),
    }),
  }),
  route({
    method: 'post',
    path: '/segments',
    summary: 'Create a segment.',
    description:
      'Vexil creates a segment of a project in the namespace of the project, and any other segment in the operator namespace. The request waits up to 15 seconds for the leader to give the segment an id. If the leader does not, Vexil removes the segment again and the answer is 503.',
    errors: ['name-taken'],
    requires: namedByBody(toNewSegment, (known, { projectId }) => toNewSegment.of(known, projectId)),
    touches: 'all',
    requiresFromBody: (known, { body }) => [toNewSegment.of(known, body.project ?? undefined)],
    body: segmentBody,
    answer: 201,
    response: wireSegment,
    handle: async (services, { body, dryRun }) => {
      const { name, project } = body;
      refuseProject(services, project);
      const namespace = namespaceOf(services, project) ?? services.home;
      const spec = { ...(typeof project === 'string' && { project }), ...segmentSpecOfCreate(body) };
      const creation = createSegment(services, { namespace, wireName: name, spec, dryRun });
      return show(services, await mapApiServerErrors({ at: [], wanted: () => body }, creation));
    },
  }),
  route({
    method: 'post',
    path: '/segments/validate',
    summary: 'Check whether a segment may be created with a name. Nothing is written.',
    errors: ['name-taken'],
    requires: signedIn,
    body: segmentNameBody,
    answer: 204,
    creates: true,
    handle: (services, { body }) => checkNewSegment(services, body.name),
  }),
  route({
    method: 'get',
    path: '/segments/strategies/:strategyId',
    summary: 'List the segments of a strategy.',
    description: 'Sorted by id. The list is empty for a strategy without segments and for an unknown strategy.',
    errors: [],
    requires: signedIn,
    params: strategyPath,
    answer: 200,
    response: wireSegments,
    handle: async (services, { params }) => {
      const { catalog } = services;
      const found = catalog.segmentsOfStrategy(params.strategyId);
      const users = await readableUsers(services, found ? [found.flag] : []);
      const segments = users.length > 0 ? (found?.names ?? []).flatMap((name) => catalog.segmentNamed(name) ?? []) : [];
      return { segments: segments.map((one) => show(services, one)).sort((a, b) => a.id - b.id) };
    },
  }),
  route({
    method: 'get',
    path: '/segments/:segmentId',
    summary: 'Read a segment.',
    description:
      'With `Accept: application/yaml` the answer is the manifest of the Segment for Git. The manifest has no status, labels or annotations. The same spec always gives the same bytes.',
    errors: ['not-found'],
    requires: toSegment('get', 'NONE'),
    params: segmentPath,
    answer: 200,
    response: wireSegment,
    texts: [MANIFEST_TYPE],
    handle: (services, { params, wantsManifest }) => {
      const found = findSegment(services.catalog, params.segmentId);
      return wantsManifest ? manifestsAfter([{ kind: segmentKind.kind, object: found }]) : show(services, found);
    },
  }),
  route({
    method: 'put',
    path: '/segments/:segmentId',
    summary: 'Change a segment, and with it every flag that uses it.',
    description:
      '`If-Match` takes the ETag of the segment or of its manifest. The ETag of the segment changes with the number of flags that use the segment. The name cannot be changed.',
    errors: ['not-found'],
    requires: toSegment('patch', 'UPDATE_SEGMENT'),
    touches: 'all',
    params: segmentPath,
    body: segmentUpdateBody,
    answer: 204,
    handle: async (services, { params, body, dryRun, ifMatch }) => {
      const { catalog, segments } = services;
      const found = findSegment(catalog, params.segmentId);
      const change = segmentChangeOf(wireNameOf(found), body);
      const edit = (one: Segment) => {
        if (change.project !== undefined && (change.project ?? undefined) !== one.spec.project) {
          refuseProject(services, change.project, one);
          refuseLosingUsers(one, change.project, catalog.flagsOfSegment(one));
        }
        return changeSegment(one, change);
      };
      const write = segments.change(found.metadata, edit, { dryRun, expect: ifSegmentSeen(services, ifMatch) });
      await mapApiServerErrors({ at: [], wanted: () => body }, write);
    },
  }),
  route({
    method: 'delete',
    path: '/segments/:segmentId',
    summary: 'Delete a segment that no flag uses, except archived flags.',
    description:
      'Answers 409 while a flag that is not archived has a strategy with the segment. Vexil does not refuse deletions with kubectl or Git, or a flag that gains such a strategy during the deletion. The flag then reports `SegmentNotFound` and is off there until a segment of that name exists again.',
    errors: ['not-found', 'in-use'],
    requires: toSegment('delete', 'DELETE_SEGMENT'),
    touches: 'all',
    params: segmentPath,
    answer: 204,
    handle: async (services, { params, dryRun, ifMatch }) => {
      const { catalog, segments } = services;
      const matches = ifSegmentSeen(services, ifMatch);
      const expect = (one: Segment) => {
        matches(one);
        refuseSegmentInUse(one, catalog.flagsOfSegment(one));
      };
      await segments.delete(findSegment(catalog, params.segmentId), { dryRun, expect });
    },
  }),
  route({
    method: 'get',
    path: '/segments/:segmentId/strategies',
    summary: 'List the strategies that use a segment.',
    description: 'Strategies of flags that are not archived, in the projects that the caller may read.',
    errors: ['not-found'],
    requires: toSegment('get', 'NONE'),
    params: segmentPath,
    answer: 200,
    response: wireSegmentStrategies,
    handle: async (services, { params }) => {
      const found = findSegment(services.catalog, params.segmentId);
      const users = await readableUsers(services, services.catalog.flagsOfSegment(found));
      return presentSegmentStrategies(strategiesWith(wireNameOf(found), users));
    },
  }),
];
