/** Projects as a whole. */
import { z } from 'zod';
import { findProject } from '../find.ts';
import { signedIn, toProject } from '../identity/asks.ts';
import { readableProjects } from '../identity/readable-projects.ts';
import { route } from '../route.ts';
import { presentProject, wireProjectOverview, wireProjects } from '../wire/project.ts';

export const projectPath = z.object({
  projectId: z.string().meta({ description: 'The id of the project.', examples: ['shop'] }),
});

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
    method: 'get',
    path: '/projects/:projectId',
    summary: 'Read a project with all its flags.',
    refuses: ['not-found'],
    asks: toProject('get', 'NONE'),
    params: projectPath,
    answer: 200,
    response: wireProjectOverview,
    handle: ({ catalog, pages }, { params }) => pages.overview(findProject(catalog, params.projectId)),
  }),
];
