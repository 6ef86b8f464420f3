/** The environments of a project. */
import { z } from 'zod';
import { toProject } from '../../access/authorization/requirements.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { findEnvironment, findProject } from '../../catalog/find.ts';
import type { ProjectView } from '../../catalog/project-views.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { addEnvironment, type EnvironmentChoice, removeEnvironment } from '../../domain/project/edit-project.ts';
import type { Project, ProjectSpec } from '../../schema/project.ts';
import { presentProjectEnvironments, wireProjectEnvironments } from '../../wire/admin/project/project-environment.ts';
import { ifSeen } from '../route/precondition.ts';
import { type Input, type RouteServices, route } from '../route/route.ts';
import { represent } from '../server/answer/representation.ts';
import { environmentName } from './environments.ts';
import { projectPath } from './projects.ts';

const additionBody = z
  .object({ environment: environmentName })
  .meta({ id: 'AddProjectEnvironment', description: 'Unknown properties are dropped.' });

function show(catalog: Catalog, view: ProjectView) {
  const { environments: used } = view.flagContext;
  const tokensIn = (environment: string) => catalog.tokenCount(environment, wireNameOf(view.project));
  return presentProjectEnvironments({
    every: catalog.environments(),
    used,
    summary: catalog.summaryOf(view),
    tokensIn,
    now: catalog.now(),
  });
}

type ProjectEdit = (project: Project, choice: EnvironmentChoice) => ProjectSpec;

interface EnvironmentEdit {
  readonly environment: string;
  readonly edit: ProjectEdit;
}

async function change(
  { catalog, pages, projects }: RouteServices,
  { params, dryRun, ifMatch }: Input<z.infer<typeof projectPath>, unknown, unknown>,
  { environment, edit }: EnvironmentEdit,
): Promise<void> {
  const { project } = findProject(catalog, params.projectId);
  // The version that a write is computed from is in the cache, and so in the view.
  const expect = ifSeen(ifMatch, 'project', () => {
    const view = findProject(catalog, params.projectId);
    return [represent(show(catalog, view)), pages.overview(view)];
  });
  const next = (version: Project) => edit(version, { environment, everyEnvironment: catalog.everyEnvironment() });
  await projects.change(project.metadata, next, { dryRun, expect });
}

export const projectEnvironmentRoutes = [
  route({
    method: 'get',
    path: '/environments/project/:projectId',
    summary: 'List all environments with their state in a project.',
    description: '`enabled` says whether the project uses the environment.',
    errors: ['not-found'],
    requires: toProject('get', 'NONE'),
    params: projectPath,
    answer: 200,
    response: wireProjectEnvironments,
    handle: ({ catalog }, { params }) => show(catalog, findProject(catalog, params.projectId)),
  }),
  route({
    method: 'post',
    path: '/projects/:projectId/environments',
    summary:
      'Add an environment to a project. Existing configuration of its flags for the environment takes effect again.',
    description:
      'A project without a list uses all enabled environments. The first time that the API adds an environment to such a project, or removes one, the project gets a list. Environments that are created or enabled later are not in the list. `If-Match` takes the ETag of the list or of the overview. Both ETags change with the counts in the answers.',
    errors: ['not-found', 'name-taken'],
    requires: toProject('patch', 'UPDATE_PROJECT'),
    touches: 'named',
    params: projectPath,
    body: additionBody,
    answer: 200,
    handle: async (services, input) => {
      const { environment } = input.body;
      findProject(services.catalog, input.params.projectId);
      findEnvironment(services.catalog, environment);
      await change(services, input, { environment, edit: addEnvironment });
    },
  }),
  route({
    method: 'delete',
    path: '/projects/:projectId/environments/:environment',
    summary: 'Remove an environment from a project. Its flags are off in the environment and keep their configuration.',
    description:
      'Unleash deletes the configuration of the flags in the environment; Vexil keeps it. The flags report `EnvironmentNotInProject` and are not `Ready` until the entry is removed from them. A flag that was on is on again when the environment is added again. A project without a list uses all enabled environments. The first time that the API adds an environment to such a project, or removes one, the project gets a list. Environments that are created or enabled later are not in the list. `If-Match` takes the ETag of the list or of the overview. Both ETags change with the counts in the answers.',
    errors: ['not-found', 'minimum-one-environment'],
    requires: toProject('patch', 'UPDATE_PROJECT'),
    params: projectPath.extend({ environment: environmentName }),
    answer: 200,
    handle: (services, input) =>
      change(services, input, { environment: input.params.environment, edit: removeEnvironment }),
  }),
];
