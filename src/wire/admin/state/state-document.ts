/** The exported state document: version 4, with the configuration of one environment in the flags themselves. */
import { z } from 'zod';
import { defectIn } from '../../../domain/flag/edit/edit-place.ts';
import { inOrder } from '../../../domain/flag/flag-context.ts';
import { environmentOf, environmentsOf, isActive, strategiesOf, variantsIn } from '../../../domain/flag/flag-values.ts';
import { segmentNamesOf } from '../../../domain/flag/segments-of-flag.ts';
import { lackingSegments, type SegmentIds } from '../../../domain/flag/strategy-segments.ts';
import { weigh } from '../../../domain/flag/variants.ts';
import { wireNameOf } from '../../../domain/identity/names.ts';
import type { FlagOfState, State } from '../../../domain/state/exported-state.ts';
import type { StrategyType } from '../../../domain/strategy-type/strategy-types.ts';
import type { Environment } from '../../../schema/environment.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import { type Project, usedFlags } from '../../../schema/project.ts';
import { wireConstraint } from '../constraint.ts';
import { presentFeature, wireFeature } from '../flag/feature.ts';
import { presentWindow, wireWindow } from '../flag/rollout.ts';
import { presentStrategies, wireStrategy } from '../flag/strategy.ts';
import { presentTag, presentTagsOf, presentTagTypes } from '../flag/tag.ts';
import { presentVariant, wireVariant } from '../flag/variant.ts';
import { presentPlainEnvironment } from '../project/environment.ts';
import { presentPlainProject } from '../project/project.ts';
import { presentPlainSegment } from '../segment.ts';
import { presentStrategyType, wireStrategyType } from '../strategy-type.ts';
import { wireTime } from '../timestamp.ts';

const { id: strategyId, name: strategyName, title, ...strategyFields } = wireStrategy.shape;

/** The shapes of its sections, in their order. */
const sections = {
  features: wireFeature.extend({
    enabled: z.boolean().meta({ description: 'The switch in the chosen environment.' }),
    strategies: z.array(wireStrategy).meta({ description: 'The strategies in the chosen environment.' }),
    variants: z.array(wireVariant).meta({ description: 'The variants in the chosen environment.' }),
    dependencies: wireFeature.shape.dependencies.unwrap(),
  }),
  strategies: wireStrategyType.extend({ title: z.string().nullable() }),
  projects: z.object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    mode: z.literal('open'),
    defaultStickiness: z.string(),
    createdAt: wireTime,
    environments: z
      .array(z.string())
      .optional()
      .meta({ description: 'The environments that the project uses. Absent: the project does not list them.' }),
    usedFlags: usedFlags.optional(),
  }),
  tagTypes: z.object({ name: z.string(), description: z.string(), icon: z.string() }),
  tags: z.object({ type: z.string(), value: z.string() }),
  featureTags: z.object({ featureName: z.string(), tagType: z.string(), tagValue: z.string() }),
  featureStrategies: z.object({
    id: strategyId,
    featureName: z.string(),
    projectId: z.string(),
    environment: z.string(),
    strategyName,
    title,
    ...strategyFields,
  }),
  environments: z.object({
    name: z.string(),
    type: z.string(),
    sortOrder: z.int().min(0),
    enabled: z.boolean(),
    protected: z.boolean(),
  }),
  featureEnvironments: z.object({
    featureName: z.string(),
    environment: z.string(),
    enabled: z.boolean(),
    variants: z.array(wireVariant),
    ...wireWindow,
  }),
  segments: z.object({
    id: z.int().min(0),
    name: z.string(),
    description: z.string().nullable(),
    constraints: z.array(wireConstraint),
    project: z.string().nullable(),
    createdAt: wireTime,
  }),
  featureStrategySegments: z.object({ featureStrategyId: strategyId, segmentId: z.int().min(0) }),
} as const;
type SectionName = keyof typeof sections;
/** The items that each object adds to a section; most add none to some sections. */
type Groups<N extends SectionName> = Iterable<readonly z.input<(typeof sections)[N]>[]>;

export const wireState = z
  .object({
    version: z.literal(4),
    ...(Object.fromEntries(Object.entries(sections).map(([name, item]) => [name, z.array(item)])) as unknown as {
      [N in SectionName]: z.ZodArray<(typeof sections)[N]>;
    }),
  })
  .meta({ id: 'State', description: 'All flags with the objects that they need.' });

/** The sections in their order; the items of an object are made when the iteration reaches it. */
export function stateSections(state: State): readonly (readonly [SectionName, Iterable<readonly unknown[]>])[] {
  const { flags, projects, environments, strategyTypes } = state;
  const groups: { [N in SectionName]: Groups<N> } = {
    features: each(flags, (one) => [presentFlag(one, state)]),
    strategies: each(strategyTypes, (type) => [presentType(type)]),
    projects: each(projects, (project) => [presentProject(project)]),
    tagTypes: each(tagTypesOf(state), (type) => [type]),
    tags: each(tagsOf(state), (tag) => [tag]),
    featureTags: each(state.withTags ? flags : [], presentTags),
    featureStrategies: each(flags, (one) => presentStrategyRows(one, state)),
    environments: each(environments, (environment) => [presentEnvironment(environment)]),
    featureEnvironments: each(flags, (one) => presentPlaces(one, state)),
    segments: each(state.segments, (segment) => [presentPlainSegment(segment)]),
    featureStrategySegments: each(flags, (one) => presentLinks(one, state)),
  };
  return (Object.keys(sections) as SectionName[]).map((name) => [name, groups[name]]);
}

function* each<T, R>(all: readonly T[], present: (one: T) => R): Iterable<R> {
  for (const one of all) yield present(one);
}

function presentFlag({ flag, flagContext }: FlagOfState, { inline, segmentIds }: State) {
  const [name, environment] = [wireNameOf(flag), inline ?? ''];
  const present = flagContext.everyEnvironment.has(environment) ? environmentOf(flag.spec, environment) : {};
  const { dependencies = [], ...feature } = presentFeature(flag);
  return {
    ...feature,
    dependencies,
    enabled: isOn(flag, environment, segmentIds),
    strategies: presentStrategies({ flag: name, environment }, present, segmentIds),
    variants: weigh(variantsIn(flag, environment)).map(presentVariant),
  };
}

/**
 * Whether the spec switches the flag on, even if a finding keeps it off: what is in effect may depend on objects that
 * are not in the document.
 */
function isOn(flag: FeatureFlag, environment: string, segmentIds: SegmentIds): boolean {
  const present = environmentOf(flag.spec, environment);
  // Unreadable parts are not in the document: without them, the rest would be on for other users than before.
  const isWhole = !defectIn(flag, environment) && lackingSegments(present, segmentIds).length === 0;
  return present.enabled === true && isActive(present) && isWhole;
}

function presentType(type: StrategyType) {
  const { displayName, ...shown } = presentStrategyType(type);
  return { ...shown, displayName, title: displayName === type.name ? null : displayName };
}

function presentProject(project: Project) {
  const { name, description, mode, defaultStickiness, createdAt } = presentPlainProject(project);
  const { environments, usedFlags: ofUsed } = project.spec;
  return {
    id: wireNameOf(project),
    name,
    description,
    mode: mode as 'open',
    defaultStickiness,
    createdAt,
    ...(environments && { environments: [...environments] }),
    ...(ofUsed && { usedFlags: ofUsed }),
  };
}

function presentEnvironment(environment: Environment) {
  const { name, type, sortOrder, enabled, protected: isProtected } = presentPlainEnvironment(environment);
  return { name, type, sortOrder, enabled, protected: isProtected };
}

/** The environments of the project, and further ones that the flag mentions. */
function placesOf({ flag, flagContext }: FlagOfState, { only }: State): readonly string[] {
  const { environments, everyEnvironment } = flagContext;
  const used = environments.map(wireNameOf);
  const named = environmentsOf(flag).flatMap(([name]) =>
    used.includes(name) ? [] : (everyEnvironment.get(name) ?? []),
  );
  return [...used, ...inOrder(named).map(wireNameOf)].filter((name) => only === undefined || name === only);
}

function presentStrategyRows(one: FlagOfState, state: State) {
  const featureName = wireNameOf(one.flag);
  const { segmentIds } = state;
  return placesOf(one, state).flatMap((environment) => {
    const present = environmentOf(one.flag.spec, environment);
    if (strategiesOf(present).length === 0) return [];
    const strategies = presentStrategies({ flag: featureName, environment }, present, segmentIds);
    return strategies.map(({ id, name, title, ...strategy }) => ({
      id,
      featureName,
      projectId: one.flag.spec.project ?? 'default',
      environment,
      strategyName: name,
      title,
      ...strategy,
    }));
  });
}

function presentLinks(one: FlagOfState, state: State) {
  if (segmentNamesOf(one.flag).size === 0) return [];
  return presentStrategyRows(one, state).flatMap(({ id, segments }) =>
    segments.map((segmentId) => ({ featureStrategyId: id, segmentId })),
  );
}

function presentPlaces(one: FlagOfState, state: State) {
  return placesOf(one, state).map((environment) => ({
    featureName: wireNameOf(one.flag),
    environment,
    enabled: isOn(one.flag, environment, state.segmentIds),
    variants: weigh(variantsIn(one.flag, environment)).map(presentVariant),
    ...presentWindow(environmentOf(one.flag.spec, environment)),
  }));
}

function presentTags({ flag }: FlagOfState) {
  return (flag.spec.tags ?? []).map((tag) => {
    const { type, value } = presentTag(tag);
    return { featureName: wireNameOf(flag), tagType: type, tagValue: value };
  });
}

function tagsOf({ flags, withTags }: State) {
  return withTags ? presentTagsOf(flags.map(({ flag }) => flag)) : [];
}

function tagTypesOf(state: State) {
  return state.withTags ? presentTagTypes(tagsOf(state)) : [];
}
