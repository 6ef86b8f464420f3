/** Whether a project lets Vexil write fields that other managers own. */
import type { Project } from '../../schema/project.ts';

export function takesOver(project: Project | undefined): boolean {
  return project?.spec.managedFields === 'TakeOver';
}

/** Whether an alert may write fields of a flag that other managers own. */
export function alertsTakeOver(project: Project | undefined): boolean {
  return project?.spec.alerts === 'Force' || takesOver(project);
}

/** A sentence for messages about conflicts. */
export const TAKE_OVER = 'With spec.managedFields: TakeOver the project lets such fields be written.';
