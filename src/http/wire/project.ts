/** Projects on the wire. */
import { z } from 'zod';
import { wireNameOf } from '../../domain/names.ts';
import type { ProjectCounts } from '../../domain/project-summary.ts';
import type { Surroundings } from '../../domain/surroundings.ts';
import type { Project } from '../../schema/project.ts';
import { wireFeatureSummary } from './feature.ts';
import { presentTime, wireTime } from './timestamp.ts';

const name = z.string().meta({ description: 'How it is called for people.', examples: ['The shop'] });
const description = z.string().meta({ examples: ['Everything that customers see'] });
const health = z
  .int()
  .min(0)
  .max(100)
  .meta({
    description: 'Percentage of its flags that are neither stale nor older than their type expects.',
    examples: [92],
  });

/** The answer of endpoint 1. */
export const wireProjectOverview = z
  .object({
    version: z.literal(1),
    name,
    description,
    defaultStickiness: z.string().meta({ examples: ['default'] }),
    mode: z.literal('open'),
    featureNaming: z
      .object({
        pattern: z
          .string()
          .nullable()
          .meta({ examples: ['^[a-z-]+$'] }),
        example: z
          .string()
          .nullable()
          .meta({ examples: ['one-page-checkout'] }),
        description: z
          .string()
          .nullable()
          .meta({ examples: [null] }),
      })
      .meta({ description: 'What names of new flags must match.' }),
    createdAt: wireTime,
    health,
    members: z
      .int()
      .min(0)
      .meta({ examples: [4] }),
    environments: z.array(z.object({ environment: z.string().meta({ examples: ['production'] }) })),
    features: z.array(wireFeatureSummary).meta({ description: 'All its flags but the archived ones, by name.' }),
  })
  .meta({ id: 'ProjectOverview', description: 'A project with all its flags.' });

/** What a project says of itself, whoever asks. */
export function presentPlainProject(project: Project) {
  const { spec, metadata } = project;
  return {
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
  };
}

/** The overview without `features`, which are put in as bytes. */
export function presentOverviewHead(project: Project, surroundings: Surroundings, { summary, members }: ProjectCounts) {
  return {
    version: 1,
    ...presentPlainProject(project),
    health: summary.health,
    members,
    environments: surroundings.environments.map((environment) => ({ environment: wireNameOf(environment) })),
  };
}

const wireProject = z
  .object({
    id: z.string().meta({ examples: ['shop'] }),
    name,
    description,
    health,
    featureCount: z
      .int()
      .min(0)
      .meta({ examples: [25] }),
    memberCount: z
      .int()
      .min(0)
      .meta({ examples: [4] }),
    mode: z.literal('open'),
    createdAt: wireTime,
  })
  .meta({ id: 'Project' });
export type WireProject = z.infer<typeof wireProject>;

export const wireProjects = z
  .object({ version: z.literal(1), projects: z.array(wireProject) })
  .meta({ id: 'Projects' });

export function presentProject(project: Project, { summary, members }: ProjectCounts): WireProject {
  const id = wireNameOf(project);
  return {
    id,
    name: project.spec.displayName ?? id,
    description: project.spec.description ?? '',
    health: summary.health,
    featureCount: summary.flags,
    memberCount: members,
    mode: 'open',
    createdAt: presentTime(project.metadata.creationTimestamp),
  };
}
