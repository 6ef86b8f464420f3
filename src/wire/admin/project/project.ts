/** Projects on the wire. */
import { z } from 'zod';
import type { FlagContext } from '../../../domain/flag/flag-context.ts';
import { flagTypeOf, isArchived } from '../../../domain/flag/flag-values.ts';
import { wireNameOf } from '../../../domain/identity/names.ts';
import { textsOf } from '../../../domain/project/edit-project.ts';
import type { ProjectCounts, ProjectSummary } from '../../../domain/project/project-summary.ts';
import { type StaleReason, staleReasons } from '../../../domain/usage/stale-finding.ts';
import { type FeatureFlag, flagTypes } from '../../../schema/feature-flag.ts';
import type { Project } from '../../../schema/project.ts';
import { wireNatural, wireNullableText } from '../fields.ts';
import { wireFeatureSummary } from '../flag/feature.ts';
import { presentTime, wireTime } from '../timestamp.ts';

const name = z.string().meta({ description: 'The display name.', examples: ['The shop'] });
const description = z.string().meta({ examples: ['Everything that customers see'] });
const health = z
  .int()
  .min(0)
  .max(100)
  .meta({
    description: 'Percentage of its flags that are neither stale nor older than their type expects.',
    examples: [92],
  });

/** The fields that the answers about one project share. */
const overview = {
  version: z.literal(1),
  name,
  description,
  defaultStickiness: z.string().meta({ examples: ['default'] }),
  mode: z.literal('open'),
  featureNaming: z
    .object({
      pattern: wireNullableText.meta({ examples: ['^[a-z-]+$'] }),
      example: wireNullableText.meta({ examples: ['one-page-checkout'] }),
      description: wireNullableText.meta({ examples: [null] }),
    })
    .meta({ description: 'The pattern that names of new flags must match.' }),
  createdAt: wireTime,
  health,
  members: wireNatural.meta({ examples: [4] }),
  environments: z.array(z.object({ environment: z.string().meta({ examples: ['production'] }) })),
};

const features = z
  .array(wireFeatureSummary)
  .meta({ description: 'All flags of the project except archived flags, by name.' });

/** The answer of GET /projects/:projectId. */
export const wireProjectOverview = z
  .object({ ...overview, features })
  .meta({ id: 'ProjectOverview', description: 'A project with all its flags.' });

const count = wireNatural.meta({ examples: [3] });

export const wireProjectCounts = z
  .object({
    ...overview,
    featureTypeCounts: z.array(z.object({ type: z.enum(flagTypes), count })).meta({
      description:
        'The number of flags of each type in the project, without archived flags. Types without flags are absent.',
    }),
  })
  .meta({ id: 'ProjectCounts', description: 'A project with the number of its flags.' });

export const wireHealthReport = z
  .object({
    ...overview,
    potentiallyStaleCount: count.meta({ description: 'Flags that are not stale, and older than their type expects.' }),
    activeCount: count.meta({ description: 'Flags that are not stale.' }),
    staleCount: count.meta({ description: 'Flags that are stale.' }),
    evidence: z.array(z.object({ reason: z.enum(staleReasons), count })).meta({
      description:
        'The number of flags that can be removed according to their use, by reason. `GET /reports/stale` lists them. Not part of the ETag.',
    }),
    features,
  })
  .meta({ id: 'HealthReport', description: 'A project with all its flags, and how many of them are stale.' });

/** The fields of a project that do not depend on the caller. */
export function presentPlainProject(project: Project) {
  const { spec, metadata } = project;
  return {
    ...textsOf(project),
    mode: 'open',
    featureNaming: {
      pattern: spec.flagNaming?.pattern ?? null,
      example: spec.flagNaming?.example ?? null,
      description: spec.flagNaming?.description ?? null,
    },
    createdAt: presentTime(metadata.creationTimestamp),
  };
}

/** The overview without `features`, which are inserted as bytes. */
export function presentOverviewHead(project: Project, flagContext: FlagContext, { summary, members }: ProjectCounts) {
  return {
    version: 1,
    ...presentPlainProject(project),
    health: summary.health,
    members,
    environments: flagContext.environments.map((environment) => ({ environment: wireNameOf(environment) })),
  };
}

/** The number of flags of each type, in the order of types. */
export function presentTypeCounts(flags: readonly FeatureFlag[]) {
  const ofType = Map.groupBy(
    flags.filter((flag) => !isArchived(flag)),
    ({ spec }) => flagTypeOf(spec),
  );
  return flagTypes.flatMap((type) => {
    const found = ofType.get(type);
    return found ? [{ type, count: found.length }] : [];
  });
}

export function presentStaleCounts({ flags, stale, potentiallyStale }: ProjectSummary) {
  return { potentiallyStaleCount: potentiallyStale, activeCount: flags - stale, staleCount: stale };
}

/** The evidence in the order of reasons. */
export function presentEvidence(reasons: readonly StaleReason[]) {
  return staleReasons.flatMap((reason) => {
    const count = reasons.filter((one) => one === reason).length;
    return count > 0 ? [{ reason, count }] : [];
  });
}

export const wireProject = z
  .object({
    id: z.string().meta({ examples: ['shop'] }),
    name,
    description,
    health,
    featureCount: wireNatural.meta({ examples: [25] }),
    memberCount: wireNatural.meta({ examples: [4] }),
    mode: z.literal('open'),
    createdAt: wireTime,
  })
  .meta({ id: 'Project' });
export type WireProject = z.infer<typeof wireProject>;

export const wireProjects = z
  .object({ version: z.literal(1), projects: z.array(wireProject) })
  .meta({ id: 'Projects' });

export function presentProject(project: Project, { summary, members }: ProjectCounts): WireProject {
  const { name, description } = textsOf(project);
  return {
    id: wireNameOf(project),
    name,
    description,
    health: summary.health,
    featureCount: summary.flags,
    memberCount: members,
    mode: 'open',
    createdAt: presentTime(project.metadata.creationTimestamp),
  };
}
