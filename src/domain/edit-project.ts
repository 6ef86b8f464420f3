/** Edits of a project: functions from the object to its next spec, which share what they leave alone. */
import { AppError } from '../errors.ts';
import type { Environment } from '../schema/environment.ts';
import type { Project, ProjectSpec } from '../schema/project.ts';
import { wireNameOf } from './names.ts';
import { environmentsOfProject } from './surroundings.ts';

export interface EnvironmentChoice {
  /** The environment's name on the wire. */
  readonly environment: string;
  /** Every environment of the instance, by wire name. */
  readonly everyEnvironment: ReadonlyMap<string, Environment>;
}

/** A project that lists no environments gets a list of those it uses with the new one. */
export function addEnvironment(project: Project, choice: EnvironmentChoice): ProjectSpec {
  const { environment } = choice;
  const names = namesOf(project, choice);
  if (names.includes(environment)) {
    throw new AppError(
      'name-taken',
      `The project "${wireNameOf(project)}" already has the environment "${environment}".`,
    );
  }
  return { ...project.spec, environments: [...names, environment] };
}

/** What flags say about the environment stays: they are off in it, and come back if the project does. */
export function removeEnvironment(project: Project, choice: EnvironmentChoice): ProjectSpec {
  const { environment, everyEnvironment } = choice;
  const names = namesOf(project, choice);
  if (!names.includes(environment)) {
    throw new AppError(
      'not-found',
      `The project "${wireNameOf(project)}" does not have the environment "${environment}".`,
    );
  }
  const left = names.filter((name) => name !== environment);
  if (!left.some((name) => everyEnvironment.has(name))) {
    const message = `A project must have at least one environment, and "${environment}" is the last one of "${wireNameOf(project)}". Add another one first.`;
    throw new AppError('minimum-one-environment', message);
  }
  return { ...project.spec, environments: left };
}

/** The names that a project lists, be there such environments or not; if it lists none, those of all that are enabled. */
function namesOf(project: Project, { everyEnvironment }: EnvironmentChoice): readonly string[] {
  return project.spec.environments ?? environmentsOfProject(project, everyEnvironment).map(wireNameOf);
}
