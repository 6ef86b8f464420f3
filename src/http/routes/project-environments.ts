/** Which environments a project uses. */
import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import type { ProjectView } from '../../catalog/project-views.ts';
import { addEnvironment, type EnvironmentChoice, removeEnvironment } from '../../domain/edit-project.ts';
import { wireNameOf } from '../../domain/names.ts';
import type { Project, ProjectSpec } from '../../schema/project.ts';
import { findEnvironment, findProject } from '../find.ts';
import { toProject } from '../identity/asks.ts';
import { ifSeen } from '../precondition.ts';
import { represent } from '../representation.ts';
import { type Input, route, type Services } from '../route.ts';
import { presentProjectEnvironments, wireProjectEnvironments } from '../wire/project-environment.ts';
import { environmentName } from './environments.ts';
import { projectPath } from './projects.ts';

const additionBody = z
  .object({ environment: environmentName })
  .meta({ id: 'AddProjectEnvironment', description: 'Unknown properties are dropped.' });

function show(catalog: Catalog, view: ProjectView) {
  const { environments: used } = view.surroundings;
  const tokensIn = (environment: string) => catalog.tokenCount(environment, wireNameOf(view.project));
  return presentProjectEnvironments({
    every: catalog.environments(),
    used,
    summary: catalog.summaryOf(view),
    tokensIn,
  });
}

type Edit = (project: Project, choice: EnvironmentChoice) => ProjectSpec;

interface Wanted {
  readonly environment: string;
  readonly edit: Edit;
}

async function change(
  { catalog, pages, projects }: Services,
  { params, dryRun, ifMatch }: Input<z.infer<typeof projectPath>, unknown, unknown>,
  { environment, edit }: Wanted,
): Promise<void> {
  const { project } = findProject(catalog, params.projectId);
  // Whichever version a write is computed from is in the cache, and so in the view.
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
    summary: 'List all environments with what they are to a project.',
    refuses: ['not-found'],
    asks: toProject('get', 'NONE'),
    params: projectPath,
    answer: 200,
    response: wireProjectEnvironments,
    handle: ({ catalog }, { params }) => show(catalog, findProject(catalog, params.projectId)),
  }),
  route({
    method: 'post',
    path: '/projects/:projectId/environments',
    summary: 'Let a project use an environment; what its flags still say about it takes effect again.',
    refuses: ['not-found', 'name-taken'],
    asks: toProject('patch', 'UPDATE_PROJECT'),
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
    summary: 'Let a project not use an environment any more; its flags are off there, what they say about it stays.',
    refuses: ['not-found', 'minimum-one-environment'],
    asks: toProject('patch', 'UPDATE_PROJECT'),
    params: projectPath.extend({ environment: environmentName }),
    answer: 200,
    handle: (services, input) =>
      change(services, input, { environment: input.params.environment, edit: removeEnvironment }),
  }),
];
