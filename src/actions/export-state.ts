/** Reads the state that a caller may export. */

import { readableObjects, readableProjects } from '../access/readable/readable-objects.ts';
import { environmentNotFound } from '../catalog/find.ts';
import { environmentsOf, isArchived } from '../domain/flag/flag-values.ts';
import { lackingSegments } from '../domain/flag/strategy-segments.ts';
import { compareText, wireNameOf } from '../domain/identity/names.ts';
import { placeOfDefect } from '../domain/judgement/defects.ts';
import type { State } from '../domain/state/exported-state.ts';
import { Refusal } from '../errors.ts';
import { type Segment, segment as segmentKind } from '../schema/segment.ts';
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
  const { catalog, caller } = services;
  const inline = chosenEnvironment(services, query.environment);
  const views = query.projects || query.featureToggles ? await readableProjects(services) : [];
  const flags = views
    .flatMap(({ flags, flagContext }) => flags.map((flag) => ({ flag, flagContext })))
    .filter(({ flag }) => !isArchived(flag))
    .sort((a, b) => compareText(wireNameOf(a.flag), wireNameOf(b.flag)));
  const reading = { caller, resource: segmentKind.plural, refOf: ({ metadata }: Segment) => metadata };
  const readable = await readableObjects(catalog.segments(), reading);
  // A segment without its unreadable constraints would hold for more users.
  const segments = readable.filter(({ defects }) => defects.length === 0);
  const segmentIds = new Map(segments.map((one) => [wireNameOf(one), one.status?.id]));
  return {
    flags: query.featureToggles ? flags : [],
    projects: query.projects ? views.map(({ project }) => project) : [],
    strategyTypes: query.strategies ? [...catalog.strategyTypes().values()].filter(({ builtIn }) => !builtIn) : [],
    environments: query.environments ? catalog.environments() : [],
    segments,
    segmentIds: (name) => segmentIds.get(name),
    withTags: query.tags,
    inline,
  };
}

/**
 * The parts of each flag that the document lacks: defects, segments that are not in the document, and environments that
 * do not exist.
 */
export function* unreadableIn({ flags, segmentIds }: State): Iterable<readonly string[]> {
  for (const { flag, flagContext } of flags) {
    const lacking = environmentsOf(flag).flatMap(([name, environment]) =>
      lackingSegments(environment, segmentIds).map((key) => `spec.environments.${name}.strategies.${key}.segments`),
    );
    const missing = environmentsOf(flag)
      .filter(([name]) => !flagContext.everyEnvironment.has(name))
      .map(([name]) => `spec.environments.${name}`);
    yield [...flag.defects.map(placeOfDefect), ...lacking, ...missing].map((place) => `${wireNameOf(flag)} ${place}`);
  }
}

function chosenEnvironment({ catalog }: Services, wanted: string | undefined): string | undefined {
  if (wanted !== undefined) {
    if (catalog.environment(wanted)) return wanted;
    const message = environmentNotFound(wanted);
    throw new Refusal('invalid', message, { details: [{ part: 'query', keys: ['environment'], message }] });
  }
  return defaultEnvironment(catalog.environments().map(wireNameOf));
}

const DEFAULT_NAME = 'default';

/** The environment of the properties within a flag (docs/unleash-compatibility.md#state-document). */
export function defaultEnvironment(names: readonly string[]): string | undefined {
  return names.includes(DEFAULT_NAME) ? DEFAULT_NAME : names[0];
}
