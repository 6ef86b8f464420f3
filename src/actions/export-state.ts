/** Reads the state that a caller may export. */
import { readableProjects } from '../access/readable-projects.ts';
import { placeOfDefect } from '../domain/flag/edit-place.ts';
import { isArchived } from '../domain/flag/flag-values.ts';
import { compareText, wireNameOf } from '../domain/identity/names.ts';
import type { State } from '../domain/state/exported-state.ts';
import { Refusal } from '../errors.ts';
import type { Services } from './services.ts';

/** The sections of the export. */
export interface ExportOptions {
  readonly featureToggles: boolean;
  readonly strategies: boolean;
  readonly projects: boolean;
  readonly tags: boolean;
  readonly environments: boolean;
  /** The environment of the properties within a flag; undefined: see `defaultEnvironment`. */
  readonly environment?: string | undefined;
}

/** Cached objects are immutable, so the state stays consistent while it is sent. */
export async function readState(services: Services, query: ExportOptions): Promise<State> {
  const { catalog } = services;
  const inline = chosenEnvironment(services, query.environment);
  const views = query.projects || query.featureToggles ? await readableProjects(services) : [];
  const flags = views
    .flatMap(({ flags, flagContext }) => flags.map((flag) => ({ flag, flagContext })))
    .filter(({ flag }) => !isArchived(flag))
    .sort((a, b) => compareText(wireNameOf(a.flag), wireNameOf(b.flag)));
  return {
    flags: query.featureToggles ? flags : [],
    projects: query.projects ? views.map(({ project }) => project) : [],
    strategyTypes: query.strategies ? [...catalog.strategyTypes().values()].filter(({ builtIn }) => !builtIn) : [],
    environments: query.environments ? catalog.environments() : [],
    withTags: query.tags,
    inline,
  };
}

/** The defects of exported flags. A flag with defects is exported without its unreadable parts. */
export function unreadableIn({ flags }: State): readonly string[] {
  return flags.flatMap(({ flag }) => flag.defects.map((defect) => `${wireNameOf(flag)} ${placeOfDefect(defect)}`));
}

function chosenEnvironment({ catalog }: Services, wanted: string | undefined): string | undefined {
  if (wanted !== undefined) {
    if (catalog.environment(wanted)) return wanted;
    const message = `There is no environment with the name "${wanted}".`;
    throw new Refusal('invalid', message, { details: [{ part: 'query', keys: ['environment'], message }] });
  }
  return defaultEnvironment(catalog.environments().map(wireNameOf));
}

const DEFAULT_NAME = 'default';

/** The environment of the properties within a flag (docs/unleash-compatibility.md#state-document). */
export function defaultEnvironment(names: readonly string[]): string | undefined {
  return names.includes(DEFAULT_NAME) ? DEFAULT_NAME : names[0];
}
