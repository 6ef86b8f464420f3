/** Edits of a project: functions from the object to its next spec. Unchanged parts are shared. */
import { Refusal } from '../../errors.ts';
import type { Environment } from '../../schema/environment.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { Project, ProjectSpec } from '../../schema/project.ts';
import { environmentsOfProject } from '../flag/flag-context.ts';
import { isArchived } from '../flag/flag-values.ts';
import { DEFAULT_PROJECT, wireNameOf } from '../identity/names.ts';

export interface ProjectTexts {
  readonly name: string;
  /** Absent: the description stays as it is. */
  readonly description?: string;
  /** Absent: the default stickiness stays as it is. */
  readonly defaultStickiness?: string;
}

export const DEFAULT_STICKINESS = 'default';

/** The texts of the project, with defaults for absent ones. */
export function textsOf(project: Project): Required<ProjectTexts> {
  const { displayName, description, defaultStickiness } = project.spec;
  return {
    name: displayName ?? wireNameOf(project),
    description: description ?? '',
    defaultStickiness: defaultStickiness ?? DEFAULT_STICKINESS,
  };
}

/** Writes only texts that differ: an absent text whose default is the wanted value stays absent. */
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

/** undefined: the naming convention stays; null: there is none. */
export function setNaming({ spec }: Project, flagNaming: ProjectSpec['flagNaming']): ProjectSpec {
  if (flagNaming === undefined) return spec;
  const { flagNaming: _, ...rest } = spec;
  return flagNaming === null ? rest : { ...rest, flagNaming };
}

const MAX_NAMED = 5;

/** Archived flags keep their reference to the project, and return with a project of that name. */
export function refuseDeletion(project: Project, flags: readonly FeatureFlag[]): void {
  const id = wireNameOf(project);
  if (id === DEFAULT_PROJECT) {
    throw new Refusal(
      'invalid-operation',
      `The project "${id}" cannot be deleted: flags that name no project are in it.`,
    );
  }
  const active = flags.filter((flag) => !isArchived(flag)).map(wireNameOf);
  if (active.length === 0) return;
  const named = active
    .slice(0, MAX_NAMED)
    .map((name) => `"${name}"`)
    .join(', ');
  const more = active.length > MAX_NAMED ? ` and ${active.length - MAX_NAMED} more` : '';
  const message = `The project "${id}" cannot be deleted: it has flags that are not archived: ${named}${more}. Archive them first.`;
  throw new Refusal('invalid-operation', message);
}

export interface EnvironmentChoice {
  /** The wire name of the environment. */
  readonly environment: string;
  /** Every environment of the instance, by wire name. */
  readonly everyEnvironment: ReadonlyMap<string, Environment>;
}

/** A project that lists no environments gets a list of those that it uses and the new one. */
export function addEnvironment(project: Project, choice: EnvironmentChoice): ProjectSpec {
  const { environment } = choice;
  const names = namesOf(project, choice);
  if (names.includes(environment)) {
    throw new Refusal(
      'name-taken',
      `The project "${wireNameOf(project)}" already has the environment "${environment}".`,
    );
  }
  return { ...project.spec, environments: [...names, environment] };
}

/** Flags keep their configuration for the environment: they are off in it until the project uses it again. */
export function removeEnvironment(project: Project, choice: EnvironmentChoice): ProjectSpec {
  const { environment, everyEnvironment } = choice;
  const names = namesOf(project, choice);
  if (!names.includes(environment)) {
    throw new Refusal(
      'not-found',
      `The project "${wireNameOf(project)}" does not have the environment "${environment}".`,
    );
  }
  const left = names.filter((name) => name !== environment);
  if (!left.some((name) => everyEnvironment.has(name))) {
    const message = `A project must have at least one environment, and "${environment}" is the last one of "${wireNameOf(project)}". Add another one first.`;
    throw new Refusal('minimum-one-environment', message);
  }
  return { ...project.spec, environments: left };
}

/** The names that a project lists, whether or not such environments exist; without a list, all enabled environments. */
function namesOf(project: Project, { everyEnvironment }: EnvironmentChoice): readonly string[] {
  return project.spec.environments ?? environmentsOfProject(project, everyEnvironment).map(wireNameOf);
}
