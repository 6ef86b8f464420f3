/** Projects on the wire. */
import { z } from 'zod';
import { wireNameOf } from '../../domain/names.ts';
import { memberCount, type ProjectSummary } from '../../domain/project-summary.ts';
import type { Surroundings } from '../../domain/surroundings.ts';
import type { Project } from '../../schema/project.ts';
import { wireFeatureSummary } from './feature.ts';
import { presentTime, wireTime } from './timestamp.ts';

/** The answer of endpoint 1. */
export const wireProjectOverview = z.object({
  version: z.literal(1),
  name: z.string(),
  description: z.string(),
  defaultStickiness: z.string(),
  mode: z.literal('open'),
  featureNaming: z.object({
    pattern: z.string().nullable(),
    example: z.string().nullable(),
    description: z.string().nullable(),
  }),
  createdAt: wireTime,
  health: z.int().min(0).max(100),
  members: z.int().min(0),
  environments: z.array(z.object({ environment: z.string() })),
  features: z.array(wireFeatureSummary),
});

/** The overview without `features`, which are put in as bytes. */
export function presentOverviewHead(project: Project, surroundings: Surroundings, summary: ProjectSummary) {
  const { spec, metadata } = project;
  return {
    version: 1,
    name: spec.displayName ?? wireNameOf(project),
    description: spec.description ?? '',
    defaultStickiness: spec.defaultStickiness ?? 'default',
    mode: 'open',
    featureNaming: {
      pattern: spec.flagNaming?.pattern ?? null,
      example: spec.flagNaming?.example ?? null,
      description: spec.flagNaming?.description ?? null,
    },
    createdAt: presentTime(metadata.creationTimestamp),
    health: summary.health,
    members: memberCount(spec),
    environments: surroundings.environments.map((environment) => ({ environment: wireNameOf(environment) })),
  };
}

const wireProject = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  health: z.int(),
  featureCount: z.int(),
  memberCount: z.int(),
  mode: z.literal('open'),
  createdAt: wireTime,
});
export type WireProject = z.infer<typeof wireProject>;

export const wireProjects = z.object({ version: z.literal(1), projects: z.array(wireProject) });

export function presentProject(project: Project, summary: ProjectSummary): WireProject {
  const id = wireNameOf(project);
  return {
    id,
    name: project.spec.displayName ?? id,
    description: project.spec.description ?? '',
    health: summary.health,
    featureCount: summary.flags,
    memberCount: memberCount(project.spec),
    mode: 'open',
    createdAt: presentTime(project.metadata.creationTimestamp),
  };
}
