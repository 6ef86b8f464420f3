/** The bodies of requests about segments. */
import { z } from 'zod';
import type { SegmentChange } from '../../domain/segment/edit-segment.ts';
import { Refusal } from '../../errors.ts';
import { withoutNulls } from '../../model/without-nulls.ts';
import { printableName } from '../../schema/fields/shapes.ts';
import { type SegmentSpec, segmentFields } from '../../schema/segment.ts';
import { constraintsBody, constraintsOf } from './constraint.ts';
import { exampleSegment } from './segment.ts';

const name = printableName('The name; it can never be changed.');
const fields = {
  description: segmentFields.description.nullable(),
  project: segmentFields.project
    .nullable()
    .meta({ description: 'The id of the project whose flags may use it. Null: any.' }),
};

export const segmentBody = z.object({ name, ...fields, constraints: constraintsBody }).meta({
  id: 'CreateSegment',
  description:
    'Null means absent. Without constraints every user is in the segment. Unknown properties are dropped; unknown properties of constraints are refused.',
  examples: [exampleSegment],
});

/** Leaves out the project, which is added when the segment is created. */
export function segmentSpecOfCreate({ description, constraints }: z.infer<typeof segmentBody>): SegmentSpec {
  return {
    ...(typeof description === 'string' && { description }),
    constraints: withoutNulls(constraintsOf(constraints), []) as NonNullable<SegmentSpec['constraints']>,
  };
}

export const segmentUpdateBody = z
  .object({
    name: z.string().nullable().optional().meta({ description: 'If present, the name of the segment.' }),
    ...fields,
    constraints: constraintsBody.nullable().optional(),
  })
  .meta({
    id: 'UpdateSegment',
    description:
      'Absent properties stay. Null removes the description and the project, and keeps the constraints. Unknown properties are dropped; unknown properties of constraints are refused.',
    examples: [exampleSegment],
  });

export function segmentChangeOf(
  present: string,
  { name, description, project, constraints }: z.infer<typeof segmentUpdateBody>,
): SegmentChange {
  if (name !== undefined && name !== null && name !== present) {
    const message = `Cannot change the name of a segment, since strategies refer to it. You sent "${name}", the segment is named "${present}".`;
    throw new Refusal('invalid', message, { details: [{ part: 'body', keys: ['name'], message }] });
  }
  return {
    description,
    project,
    constraints: constraints
      ? (withoutNulls(constraintsOf(constraints), []) as SegmentChange['constraints'])
      : undefined,
  };
}

export const segmentNameBody = z.object({ name }).meta({
  id: 'ValidateSegment',
  description: 'Unknown properties are dropped.',
  examples: [{ name: 'Beta testers' }],
});
