/** /projects. */
import { z } from 'zod';
import { requirePermissions } from '../../access/authorization/require-permissions.ts';
import { signedIn, toHome, toProject, toSearchUsers } from '../../access/authorization/requirements.ts';
import { readableProjects } from '../../access/readable/readable-objects.ts';
import { checkNewProject, createProject } from '../../actions/create-project.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { findProject } from '../../catalog/find.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { refuseDeletion, setNaming, setTexts } from '../../domain/project/edit-project.ts';
import { emptySummary } from '../../domain/project/project-summary.ts';
import { type Project, project as projectKind } from '../../schema/project.ts';
import {
  presentProject,
  wireHealthReport,
  wireProject,
  wireProjectCounts,
  wireProjectOverview,
  wireProjects,
} from '../../wire/admin/project/project.ts';
import {
  createProjectBody,
  namingOfSettings,
  projectSettingsBody,
  projectSpecOfCreate,
  textsOfUpdate,
  updateProjectBody,
  validateProjectBody,
} from '../../wire/admin/project/project-input.ts';
import { manifestsAfter } from '../route/manifest.ts';
import { ifSeen } from '../route/precondition.ts';
import { type RouteServices, route } from '../route/route.ts';
import { MANIFEST_TYPE } from '../server/answer/representation.ts';
import type { TextInTurns } from '../server/answer/text-in-turns.ts';

export const projectPath = z.object({
  projectId: z.string().meta({ description: 'The id of the project.', examples: ['shop'] }),
});

const toCreate = toHome({ verb: 'create', resource: 'projects', permission: 'CREATE_PROJECT' });
const toRead = toProject('get', 'NONE');

/** A project that a dry run creates is not in the catalog. */
function show(catalog: Catalog, project: Project) {
  const view = catalog.view(wireNameOf(project));
  const counts = view ? catalog.countsOf(view) : { summary: emptySummary, members: catalog.membersOf(project).length };
  return presentProject(project, counts);
}

/** The manifest contains the names of the members. */
async function manifestFor(services: RouteServices, project: Project): Promise<TextInTurns> {
  await requirePermissions(services.caller, [toSearchUsers.of(services, undefined)]);
  return manifestsAfter([{ kind: projectKind.kind, object: project }]);
}

/**
 * Compares with any answer about the project. The version that a write is computed from is in the cache, and so in the
 * view.
 */
function ifProjectSeen({ catalog, pages }: RouteServices, projectId: string, ifMatch: string | undefined) {
  return ifSeen(ifMatch, 'project', () => {
    const view = findProject(catalog, projectId);
    return [pages.overview(view), pages.counts(view), pages.healthReport(view)];
  });
}

export const projectRoutes = [
  route({
    method: 'get',
    path: '/projects',
    summary: 'List the projects.',
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireProjects,
    handle: async (services) => {
      const views = await readableProjects(services);
      const { countsOf } = services.catalog;
      return { version: 1, projects: views.map((view) => presentProject(view.project, countsOf(view))) };
    },
  }),
  route({
    method: 'post',
    path: '/projects',
    summary: 'Create a project. The user who creates it becomes its owner.',
    description:
      'A Kubernetes user becomes the owner only if the user is a FlagUser. A project that an admin token creates has no members. A `mode` other than `open` and a `featureLimit` are refused. Environments and members have their own endpoints. Set the naming convention with `PUT …/settings`.',
    errors: ['name-taken'],
    requires: toCreate,
    body: createProjectBody,
    answer: 201,
    response: wireProject,
    handle: async (services, { body, dryRun }) => {
      const spec = projectSpecOfCreate(body);
      return show(services.catalog, await createProject(services, { wireName: body.id, spec, dryRun }));
    },
  }),
  route({
    method: 'post',
    path: '/projects/validate',
    summary: 'Check whether a project may be created with an id. Nothing is written.',
    errors: ['name-taken'],
    requires: toCreate,
    body: validateProjectBody,
    answer: 200,
    creates: true,
    writesNothing: true,
    handle: (services, { body }) => checkNewProject(services, body.id),
  }),
  route({
    method: 'get',
    path: '/projects/:projectId',
    summary: 'Read a project with all its flags.',
    description:
      '`mode` is always `open`. `updatedAt`, `favorite` and `stats` are left out. The list of flags has no paging. With `Accept: application/yaml` the answer is the manifest of the Project for Git. The manifest has no status, labels or annotations. The same spec always gives the same bytes. The manifest names the members, so the request needs the same access as `GET …/access`.',
    errors: ['not-found'],
    requires: toRead,
    params: projectPath,
    answer: 200,
    response: wireProjectOverview,
    texts: [MANIFEST_TYPE],
    handle: (services, { params, wantsManifest }) => {
      const view = findProject(services.catalog, params.projectId);
      return wantsManifest ? manifestFor(services, view.project) : services.pages.overview(view);
    },
  }),
  route({
    method: 'put',
    path: '/projects/:projectId',
    summary: 'Change the name, description and stickiness of a project.',
    description: 'Absent properties keep their value. A `mode` other than `open` and a `featureLimit` are refused.',
    errors: ['not-found'],
    requires: toProject('patch', 'UPDATE_PROJECT'),
    params: projectPath,
    body: updateProjectBody,
    answer: 200,
    response: wireProject,
    handle: async (services, { params, body, dryRun, ifMatch }) => {
      const { catalog, projects } = services;
      const { metadata } = findProject(catalog, params.projectId).project;
      const wanted = textsOfUpdate(body);
      const expect = ifProjectSeen(services, params.projectId, ifMatch);
      return show(catalog, await projects.change(metadata, (project) => setTexts(project, wanted), { dryRun, expect }));
    },
  }),
  route({
    method: 'put',
    path: '/projects/:projectId/settings',
    summary: 'Change the naming convention of the flags of a project.',
    description: 'A `mode` other than `open` and templates of links are refused.',
    errors: ['not-found'],
    requires: toProject('patch', 'UPDATE_PROJECT'),
    params: projectPath,
    body: projectSettingsBody,
    answer: 200,
    response: wireProject,
    handle: async (services, { params, body, dryRun, ifMatch }) => {
      const { catalog, projects } = services;
      const { metadata } = findProject(catalog, params.projectId).project;
      const naming = namingOfSettings(body);
      const expect = ifProjectSeen(services, params.projectId, ifMatch);
      return show(
        catalog,
        await projects.change(metadata, (project) => setNaming(project, naming), { dryRun, expect }),
      );
    },
  }),
  route({
    method: 'delete',
    path: '/projects/:projectId',
    summary: 'Delete a project whose flags are all archived. The archived flags stay.',
    description:
      'Answers 403 while a flag of the project is not archived. The archived flags stay as objects: their names stay in use, no list shows them, and they appear again when the project exists again. API tokens for the project stay as well. A flag that is created during the deletion stays, is off, and reports `ProjectNotFound`.',
    errors: ['not-found', 'invalid-operation'],
    requires: toProject('delete', 'DELETE_PROJECT'),
    touches: 'all',
    params: projectPath,
    answer: 200,
    handle: async (services, { params, dryRun, ifMatch }) => {
      const { catalog, projects } = services;
      const { project } = findProject(catalog, params.projectId);
      const matches = ifProjectSeen(services, params.projectId, ifMatch);
      const expect = (version: Project) => {
        matches(version);
        refuseDeletion(version, catalog.view(params.projectId)?.flags ?? []);
      };
      await projects.delete(project, { dryRun, expect });
    },
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/overview',
    summary: 'Read a project with its number of flags.',
    errors: ['not-found'],
    requires: toRead,
    params: projectPath,
    answer: 200,
    response: wireProjectCounts,
    handle: ({ catalog, pages }, { params }) => pages.counts(findProject(catalog, params.projectId)),
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/health-report',
    summary: 'Read a project with all its flags and the number of stale flags.',
    errors: ['not-found'],
    requires: toRead,
    params: projectPath,
    answer: 200,
    response: wireHealthReport,
    handle: ({ catalog, pages }, { params }) => pages.healthReport(findProject(catalog, params.projectId)),
  }),
];
