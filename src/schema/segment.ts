/** The Segment kind: constraints under a name, which strategies of several flags use. */
import { z } from 'zod';
import { closingColumns, defineKind } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { segmentGrants } from './approvals.ts';
import { statusFields } from './condition.ts';
import { constraintList } from './constraint.ts';
import { nameRules } from './fields/name-rules.ts';
import { givenId, idRules, integerId } from './fields/numbered.ts';
import { optionalNumber, printableName, text, wireName } from './fields/shapes.ts';

const FIRST_SEGMENT_ID = 1;

/** The fields that callers of the API send in their stored form. */
export const segmentFields = {
  description: text(4096, 'Which users the segment consists of.').optional(),
  project: wireName(
    'The project, by its name in the API, whose flags may use the segment: a project in this namespace; in the operator namespace any project. Absent: the flags of all projects in this namespace; in the operator namespace those of all projects.',
  ).optional(),
};

const spec = z.object({
  name: printableName(
    'The name in the API; strategies refer to it. Unique in all watched namespaces: a name belongs to the namespace that used it first. Absent: metadata.name. Immutable.',
  ).optional(),
  ...segmentFields,
  constraints: constraintList(
    'All of them must hold for a user to be in the segment. Absent: all users are.',
  ).optional(),
  id: integerId(FIRST_SEGMENT_ID),
});
export type SegmentSpec = z.infer<typeof spec>;

const status = z.object({
  ...statusFields,
  id: givenId,
  flags: optionalNumber('Number of flags that use the segment and are not archived.'),
  environments: z.array(z.string().max(100)).max(100).optional().meta({
    description: 'Where flags use the segment, or would after a change that is asked for.',
    'x-kubernetes-list-type': 'atomic',
  }),
  grants: segmentGrants.optional(),
});
export type SegmentStatus = z.infer<typeof status>;

export type Segment = CustomObject<SegmentSpec, SegmentStatus>;

export const segment = defineKind<SegmentSpec, SegmentStatus>({
  kind: 'Segment',
  shortNames: ['fseg'],
  description:
    'Constraints under a name, which strategies of several flags use. A Segment in the operator namespace is for the flags of every namespace, any other for those of its own namespace.',
  namespaces: 'watched',
  spec,
  status,
  columns: [
    { name: 'Id', type: 'integer', jsonPath: '.status.id', description: 'The id in the API.' },
    {
      name: 'Project',
      type: 'string',
      jsonPath: '.spec.project',
      description: 'The project; blank: not limited to one.',
    },
    {
      name: 'Flags',
      type: 'integer',
      jsonPath: '.status.flags',
      description: 'Flags that use it and are not archived.',
    },
    ...closingColumns('flags can use the segment'),
  ],
  selectableFields: ['.spec.project'],
  rootRules: [...nameRules(), ...idRules],
  preservedStatus: ['id'],
});
