/** Projects as a whole. */
import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { refuseDeletion, setTexts } from '../../domain/edit-project.ts';
import { wireNameOf } from '../../domain/names.ts';
import { summarize } from '../../domain/project-summary.ts';
import type { Project } from '../../schema/project.ts';
import { checkNewProject, createProject } from '../create-project.ts';
import { findProject } from '../find.ts';
import { signedIn, toHome, toProject } from '../identity/asks.ts';
import { readableProjects } from '../identity/readable-projects.ts';
import { ifSeen } from '../precondition.ts';
import { route, type Services } from '../route.ts';
import {
  presentProject,
  wireHealthReport,
  wireProject,
  wireProjectCounts,
  wireProjectOverview,
  wireProjects,
} from '../wire/project.ts';
import {
  createProjectBody,
  specOfCreate,
  textsOfUpdate,
  updateProjectBody,
  validateProjectBody,
} from '../wire/project-input.ts';

export const projectPath = z.object({
  projectId: z.string().meta({ description: 'The id of the project.', examples: ['shop'] }),
});

const toCreate = toHome({ verb: 'create', resource: 'projects', permission: 'CREATE_PROJECT' });
const toRead = toProject('get', 'NONE');

/** One that was created as a dry run is not among those that there are. */
function show(catalog: Catalog, project: Project) {
  const view = catalog.view(wireNameOf(project));
  const ofNone = () => ({ summary: summarize([], catalog.effectOf, 0), members: catalog.membersOf(project).length });
  return presentProject(project, view ? catalog.countsOf(view) : ofNone());
}

/** Any of the answers that tell of the project; whichever version a write is computed from is in the cache, and so in the view. */
function ifProjectSeen({ catalog, pages }: Services, projectId: string, ifMatch: string | undefined) {
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
    refuses: [],
    asks: signedIn,
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
    summary: 'Create a project; the user who does owns it.',
    refuses: ['name-taken'],
    asks: toCreate,
    body: createProjectBody,
    answer: 201,
    response: wireProject,
    handle: async (services, { body, dryRun }) => {
      const spec = specOfCreate(body);
      return show(services.catalog, await createProject(services, { wireName: body.id, spec, dryRun }));
    },
  }),
  route({
    method: 'post',
    path: '/projects/validate',
    summary: 'Say whether a project may be created under an id; nothing is written.',
    refuses: ['name-taken'],
    asks: toCreate,
    body: validateProjectBody,
    answer: 200,
    createsAnew: true,
    handle: (services, { body }) => checkNewProject(services, body.id),
  }),
  route({
    method: 'get',
    path: '/projects/:projectId',
    summary: 'Read a project with all its flags.',
    refuses: ['not-found'],
    asks: toRead,
    params: projectPath,
    answer: 200,
    response: wireProjectOverview,
    handle: ({ catalog, pages }, { params }) => pages.overview(findProject(catalog, params.projectId)),
  }),
  route({
    method: 'put',
    path: '/projects/:projectId',
    summary: 'Change what a project is called, its description and its stickiness.',
    refuses: ['not-found'],
    asks: toProject('patch', 'UPDATE_PROJECT'),
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
    method: 'delete',
    path: '/projects/:projectId',
    summary: 'Delete a project whose flags are all archived; they stay in the archive.',
    refuses: ['not-found', 'invalid-operation'],
    asks: toProject('delete', 'DELETE_PROJECT'),
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
    summary: 'Read a project with how many flags it has.',
    refuses: ['not-found'],
    asks: toRead,
    params: projectPath,
    answer: 200,
    response: wireProjectCounts,
    handle: ({ catalog, pages }, { params }) => pages.counts(findProject(catalog, params.projectId)),
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/health-report',
    summary: 'Read a project with all its flags, and how many of them are stale.',
    refuses: ['not-found'],
    asks: toRead,
    params: projectPath,
    answer: 200,
    response: wireHealthReport,
    handle: ({ catalog, pages }, { params }) => pages.healthReport(findProject(catalog, params.projectId)),
  }),
];
