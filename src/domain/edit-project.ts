/** Edits of a project: functions from the object to its next spec, which share what they leave alone. */
import { AppError } from '../errors.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Project, ProjectSpec } from '../schema/project.ts';
import { DEFAULT_PROJECT, isArchived } from './flag-values.ts';
import { wireNameOf } from './names.ts';
import { environmentsOfProject } from './surroundings.ts';

export interface ProjectTexts {
  readonly name: string;
  /** Absent: stays as it is. */
  readonly description?: string;
  /** Absent: stays as it is. */
  readonly defaultStickiness?: string;
}

export const DEFAULT_STICKINESS = 'default';

/** What the project says of itself, with defaults for what is absent. */
export function textsOf(project: Project): Required<ProjectTexts> {
  const { displayName, description, defaultStickiness } = project.spec;
  return {
    name: displayName ?? wireNameOf(project),
    description: description ?? '',
    defaultStickiness: defaultStickiness ?? DEFAULT_STICKINESS,
  };
}

/** Writes only what means something else from now on: what is absent and means the value already stays absent. */
export function setTexts(project: Project, wanted: ProjectTexts): ProjectSpec {
  const { name, ...texts } = wanted;
  const present = textsOf(project);
  const changed = (Object.keys(texts) as (keyof typeof texts)[]).filter((key) => texts[key] !== present[key]);
  return {
    ...project.spec,
    ...(name !== present.name && { displayName: name }),
    ...Object.fromEntries(changed.map((key) => [key, texts[key]])),
  };
}

const MOST_NAMED = 5;

/** What flags in the archive say about the project stays: they come back if the project does. */
export function refuseDeletion(project: Project, flags: readonly FeatureFlag[]): void {
  const id = wireNameOf(project);
  if (id === DEFAULT_PROJECT) {
    throw new AppError(
      'invalid-operation',
      `The project "${id}" cannot be deleted: flags that name no project are in it.`,
    );
  }
  const active = flags.filter((flag) => !isArchived(flag)).map(wireNameOf);
  if (active.length === 0) return;
  const named = active
    .slice(0, MOST_NAMED)
    .map((name) => `"${name}"`)
    .join(', ');
  const more = active.length > MOST_NAMED ? ` and ${active.length - MOST_NAMED} more` : '';
  const message = `The project "${id}" cannot be deleted: it has flags that are not archived: ${named}${more}. Archive them first.`;
  throw new AppError('invalid-operation', message);
}

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
