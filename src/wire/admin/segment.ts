/** Segments on the wire. */
import { z } from 'zod';
import { projectIdOf } from '../../domain/flag/flag-values.ts';
import { strategyIdOf } from '../../domain/flag/strategy-id.ts';
import type { KeyedUse, SegmentUse } from '../../domain/flag/uses.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { Segment } from '../../schema/segment.ts';
import { presentAdminConstraints, wireConstraint } from './constraint.ts';
import { wireNatural } from './fields.ts';
import { presentTime, wireTime } from './timestamp.ts';

/** For the API document. */
export const exampleSegment = {
  name: 'Beta testers',
  description: 'Users who agreed to test.',
  constraints: [{ contextName: 'userId', operator: 'IN' as const, values: ['17', '42'] }],
  project: null,
};

export const wireSegment = z
  .object({
    id: wireNatural.meta({
      description: 'The id of the segment. Vexil never uses an id again. A dry run of a creation answers 0.',
    }),
    name: z.string(),
    description: z.string().nullable(),
    constraints: z.array(wireConstraint),
    project: z.string().nullable().meta({ description: 'The id of the project whose flags may use it. Null: any.' }),
    usedInFeatures: wireNatural.meta({ description: 'The number of flags that use it and are not archived.' }),
    usedInProjects: wireNatural.meta({ description: 'The number of projects of these flags.' }),
    createdAt: wireTime,
  })
  .meta({
    id: 'Segment',
    description: 'A named set of constraints that strategies of several flags use.',
    examples: [
      { id: 7, ...exampleSegment, usedInFeatures: 3, usedInProjects: 1, createdAt: '2026-01-31T12:00:00.000Z' },
    ],
  });
type WireSegment = z.infer<typeof wireSegment>;

export const wireSegments = z
  .object({ segments: z.array(wireSegment).meta({ description: 'Sorted by id.' }) })
  .meta({ id: 'Segments' });

export const wireSegmentStrategies = z
  .object({
    strategies: z.array(
      z.object({
        id: z.uuid(),
        featureName: z.string(),
        projectId: z.string(),
        environment: z.string(),
        strategyName: z.string().meta({ description: 'The type of the strategy.' }),
      }),
    ),
  })
  .meta({ id: 'SegmentStrategies', description: 'Strategies that use a segment, by flag.' });

/** A segment without the number of its users. */
export function presentPlainSegment(segment: Segment): Omit<WireSegment, 'usedInFeatures' | 'usedInProjects'> {
  const { metadata, spec, status } = segment;
  return {
    id: status?.id ?? 0,
    name: wireNameOf(segment),
    description: spec.description ?? null,
    constraints: presentAdminConstraints(spec.constraints),
    project: spec.project ?? null,
    createdAt: presentTime(metadata.creationTimestamp),
  };
}

export function presentAdminSegment(segment: Segment, { features, projects }: SegmentUse): WireSegment {
  const { createdAt, ...fields } = presentPlainSegment(segment);
  return { ...fields, usedInFeatures: features, usedInProjects: projects, createdAt };
}

export function presentSegmentStrategies(uses: readonly KeyedUse[]): z.infer<typeof wireSegmentStrategies> {
  const strategies = uses.map(({ flag, environment, key, strategy }) => ({
    id: strategyIdOf({ flag: wireNameOf(flag), environment, key }),
    featureName: wireNameOf(flag),
    projectId: projectIdOf(flag),
    environment,
    strategyName: strategy.name,
  }));
  return { strategies };
}
