/** Reads a state document of any version into the wanted state. */

import { LAST } from '../../../domain/flag/flag-context.ts';
import type {
  WantedEnvironment,
  WantedFlag,
  WantedPlace,
  WantedProject,
  WantedState,
  WantedType,
} from '../../../domain/state/wanted.ts';
import { type Complaints, createComplaints } from '../../../model/complaints.ts';
import { MISSING } from '../../../model/invalid-input.ts';
import { MAX_ENVIRONMENTS, MAX_STRATEGIES } from '../../../schema/feature-flag.ts';
import type { ProjectSpec } from '../../../schema/project.ts';
import type { Variant } from '../../../schema/variant.ts';
import { parse } from '../../parse-input.ts';
import { dependencyOf } from '../flag/dependency.ts';
import { namedMetadata } from '../flag/feature-metadata.ts';
import { windowBody, windowOf } from '../flag/rollout.ts';
import { strategyTypeSpecOfCreate } from '../strategy-type-input.ts';
import { withRowNames } from './row-name.ts';
import type { StateDocument } from './state-input.ts';
import { type HasPayload, refuseUnreadablePayloads } from './state-payloads.ts';
import { eachRow, type Pause, refuseOrphans, refuseRepeatedRows } from './state-rows.ts';
import { readSegment, segmentLinks } from './state-segments.ts';
import { type ReadStrategy, readVariants, strategyReader } from './state-strategies.ts';

export interface ReadingParts {
  /**
   * Chooses the environment for the properties within flags, from those in the document and those that exist; undefined
   * if there is none.
   */
  readonly chooseEnvironment: (brought: readonly string[]) => string | undefined;
  readonly pause: Pause;
  /** Absent: no flag has a payload yet. */
  readonly hasPayload?: HasPayload;
}

interface StateReading {
  readonly document: StateDocument;
  readonly complaints: Complaints;
  /** The environment for the properties within flags, determined when it is first needed. */
  readonly inline: () => string;
  readonly readStrategy: ReadStrategy;
  readonly pause: Pause;
}

/** Throws everything that is wrong with the document itself, with the places. */
export async function readStateDocument(
  document: StateDocument,
  { chooseEnvironment, pause, hasPayload = () => false }: ReadingParts,
): Promise<WantedState> {
  const complaints = createComplaints();
  const environments = (document.environments ?? []).map(readEnvironment);
  const inline = once(() => {
    const name = chooseEnvironment(environments.map((one) => one.name));
    if (name === undefined)
      complaints.add(
        ['features'],
        'have `enabled`, `strategies` or `variants` without an environment, and no environment exists: create one, or add `environments`.',
      );
    return name ?? 'default';
  });
  const readStrategy = strategyReader(segmentLinks(document, complaints), complaints);
  await refuseRepeatedRows(document, complaints, pause);
  await refuseUnreadablePayloads(document, { complaints, hasPayload, pause });
  const flags = document.features ? await readFlags({ document, complaints, inline, readStrategy, pause }) : undefined;
  await refuseOrphans(document, complaints, pause);
  try {
    complaints.refuse();
  } catch (error) {
    throw withRowNames(error, (section, index) => rowsOf(document, section)[index]);
  }
  return {
    environments,
    projects: (document.projects ?? []).map(readProject),
    strategyTypes: document.strategies?.map(readType),
    segments: document.segments?.map(readSegment),
    flags,
  };
}

function rowsOf(document: StateDocument, section: string): readonly unknown[] {
  const rows: unknown = Reflect.get(document, section);
  return Array.isArray(rows) ? rows : [];
}

function readEnvironment(
  {
    name,
    type,
    displayName,
    sortOrder,
    enabled,
    protected: isProtected,
  }: NonNullable<StateDocument['environments']>[number],
  index: number,
): WantedEnvironment {
  const spec = {
    type,
    ...(typeof displayName === 'string' && { displayName }),
    ...(typeof sortOrder === 'number' && sortOrder !== LAST && { sortOrder }),
    ...(enabled === false && { enabled }),
    ...(isProtected && { protected: true }),
  };
  return { at: ['environments', `${index}`], name, spec };
}

function readProject(
  { id, name, description, defaultStickiness, environments, usedFlags }: NonNullable<StateDocument['projects']>[number],
  index: number,
): WantedProject {
  const spec: ProjectSpec = {
    ...(name !== id && name !== '' && { displayName: name }),
    ...(description && { description }),
    ...(defaultStickiness && defaultStickiness !== 'default' && { defaultStickiness }),
    ...(environments && { environments: [...new Set(environments)] }),
    ...(usedFlags && { usedFlags }),
  };
  return { at: ['projects', `${index}`], name: id, spec };
}

function readType(type: NonNullable<StateDocument['strategies']>[number], index: number): WantedType {
  const { name, title, displayName, description, parameters, deprecated } = type;
  const { parameters: read } = strategyTypeSpecOfCreate({ name, parameters });
  return {
    at: ['strategies', `${index}`],
    name,
    displayName: displayName ?? title,
    description,
    parameters: read ?? [],
    ...(typeof deprecated === 'boolean' && { deprecated }),
  };
}

type Feature = NonNullable<StateDocument['features']>[number];

async function readFlags(reading: StateReading): Promise<readonly WantedFlag[]> {
  const { document, complaints, pause } = reading;
  const tags = readTags(document, complaints);
  const places = await placesByFlag(reading);
  const flags: WantedFlag[] = [];
  await eachRow(document.features, pause, (feature, index) => {
    const at = ['features', `${index}`];
    const whole = isOfWhole(document) ? feature.variants : undefined;
    flags.push({
      at,
      name: feature.name,
      project: feature.project ?? 'default',
      archived: feature.archived ?? false,
      metadata: namedMetadata(feature),
      tags: tags(feature.name),
      dependencies: feature.dependencies?.map(dependencyOf),
      variants: whole ? readVariants([...at, 'variants'], whole, complaints) : undefined,
      environments: withInline(places.get(feature.name) ?? new Map(), { feature, at, reading }),
    });
  });
  return flags;
}

type Places = Map<string, WantedPlace>;
type WindowOfRow = Pick<NonNullable<StateDocument['featureEnvironments']>[number], 'activeFrom' | 'activeUntil'>;

/** The content of the sections, by flag and environment. */
async function placesByFlag({ document, complaints, readStrategy, pause }: StateReading): Promise<Map<string, Places>> {
  const { featureEnvironments, featureStrategies } = document;
  const flags = new Map<string, Places>();
  const put = (flag: string, environment: string, place: WantedPlace) => {
    const places = flags.get(flag) ?? new Map();
    flags.set(flag, places.set(environment, place));
    if (places.size > MAX_ENVIRONMENTS) complaints.add(place.at, tooMany('environment', 'flag', MAX_ENVIRONMENTS));
  };
  const none = featureStrategies ? { strategies: [] } : {};
  await eachRow(featureEnvironments, pause, (row, index) => {
    const at = ['featureEnvironments', `${index}`];
    const variants: readonly Variant[] | undefined = row.variants
      ? readVariants([...at, 'variants'], row.variants, complaints)
      : undefined;
    put(row.featureName, row.environment, {
      at,
      ...none,
      ...readWindow(at, row, complaints),
      enabled: row.enabled ?? false,
      variants,
    });
  });
  await eachRow(featureStrategies, pause, ({ featureName, environment, strategyName, ...row }, index) => {
    const at = ['featureStrategies', `${index}`];
    const place = flags.get(featureName)?.get(environment) ?? { at };
    const listed = place.strategies ?? [];
    if (listed.length === MAX_STRATEGIES) {
      complaints.add(at, tooMany('strategy', 'flag in an environment', MAX_STRATEGIES));
      return;
    }
    const strategy = readStrategy(at, { name: strategyName, ...row });
    put(featureName, environment, { ...place, strategies: [...listed, ...(strategy ? [strategy] : [])] });
  });
  return flags;
}

/** Nothing if the row has no window: documents of Unleash know none. */
function readWindow(at: readonly string[], { activeFrom, activeUntil }: WindowOfRow, complaints: Complaints) {
  if (activeFrom === undefined && activeUntil === undefined) return {};
  const window = complaints.below(at, () => windowOf(parse(windowBody, { activeFrom, activeUntil }, 'body')));
  return window ? { window } : {};
}

/**
 * The API server would refuse the whole flag; here, the limit bounds the cost of one flag before the API server is
 * called.
 */
function tooMany(what: string, of: string, most: number): string {
  return `is one ${what} of its ${of} too many. There are at most ${most}.`;
}

interface Inline {
  readonly feature: Feature;
  readonly at: readonly string[];
  readonly reading: StateReading;
}

/** Sections take precedence over the properties within a flag (docs/unleash-compatibility.md#state-document). */
function withInline(places: Places, { feature, at, reading }: Inline): Places {
  const { document, readStrategy, complaints, inline } = reading;
  const { featureEnvironments } = document;
  const list = document.featureStrategies ? undefined : feature.strategies;
  const enabled = featureEnvironments ? undefined : feature.enabled;
  const variants = featureEnvironments || isOfWhole(document) ? undefined : feature.variants;
  const said: Omit<WantedPlace, 'at'> = {
    ...(typeof enabled === 'boolean' && { enabled }),
    ...(list && {
      strategies: list.flatMap((one, index) => readStrategy([...at, 'strategies', `${index}`], one) ?? []),
    }),
    ...(variants && { variants: readVariants([...at, 'variants'], variants, complaints) }),
  };
  if (Object.keys(said).length === 0) return places;
  const name = inline();
  return new Map([...places, [name, { at, ...places.get(name), ...said }]]);
}

/** Before version 4, variants apply in all environments (docs/unleash-compatibility.md#state-document). */
function isOfWhole({ version }: StateDocument): boolean {
  return version === 2 || version === 3;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Undefined for every flag if the document has no tags: then it does not show whether it was requested with them. */
function readTags(document: StateDocument, complaints: Complaints): (flag: string) => readonly string[] | undefined {
  const rows = document.featureTags ?? [];
  if (rows.length === 0) return () => undefined;
  const tags = new Map<string, string[]>();
  for (const [index, row] of rows.entries()) {
    const { featureName, tagType = row.type, tagValue = row.value } = row;
    for (const [key, value] of Object.entries({ tagType, tagValue })) {
      if (value === undefined) complaints.add(['featureTags', `${index}`, key], MISSING.complaint);
    }
    const listed = tags.get(featureName) ?? [];
    tags.set(featureName, listed);
    listed.push(`${tagType}:${tagValue}`);
  }
  return (flag) => tags.get(flag) ?? [];
}
