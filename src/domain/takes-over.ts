/** Whether a project lets Vexil write fields that others hold. */
import type { Project } from '../schema/project.ts';

export function takesOver(project: Project | undefined): boolean {
  return project?.spec.managedFields === 'TakeOver';
}

/** For people who were refused. */
export const TAKE_OVER = 'With spec.managedFields: TakeOver the project lets such fields be written.';
