/** Projects as a whole. */
import { z } from 'zod';
import { wireNameOf } from '../../domain/names.ts';
import { findProject } from '../find.ts';
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
    permission: 'NONE',
    answer: 200,
    response: wireProjects,
    handle: ({ catalog }) => {
      const views = catalog.projects().flatMap((project) => catalog.view(wireNameOf(project)) ?? []);
      return { version: 1, projects: views.map((view) => presentProject(view.project, catalog.countsOf(view))) };
    },
  }),
  route({
    method: 'get',
    path: '/projects/:projectId',
    summary: 'Read a project with all its flags.',
    refuses: ['not-found'],
    permission: 'NONE',
    params: projectPath,
    answer: 200,
    response: wireProjectOverview,
    handle: ({ catalog, pages }, { params }) => pages.overview(findProject(catalog, params.projectId)),
  }),
];
