/** The owners of the fields of a flag, on the wire. */
import { z } from 'zod';
import { projectIdOf } from '../../domain/flag/flag-values.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { FieldWithOwners, ProtectableOwner } from '../../model/field-owner.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { Project } from '../../schema/project.ts';
import { countOf } from './query.ts';
import { presentTime, wireTime } from './timestamp.ts';

const MAX_FIELDS = 5000;
const DEFAULT_FIELDS = 1000;

export const ownershipQuery = z.object({
  offset: countOf(
    { most: Number.MAX_SAFE_INTEGER, fallback: 0 },
    'How many fields to skip. What is no whole number above 0 counts as 0.',
  ),
  limit: countOf(
    { most: MAX_FIELDS, fallback: DEFAULT_FIELDS },
    `How many fields to answer, from 1 to ${MAX_FIELDS}. Anything else counts as ${DEFAULT_FIELDS}.`,
  ),
});
export type OwnershipPage = z.output<typeof ownershipQuery>;

export const FIRST_PAGE: OwnershipPage = { offset: 0, limit: DEFAULT_FIELDS };

const examplePath = 'spec.environments.production.enabled';

export const wireOwner = z
  .object({
    manager: z.string().meta({ description: 'The program, as it calls itself.', examples: ['kustomize-controller'] }),
    operation: z.enum(['Apply', 'Update']).meta({ description: 'Apply: server-side apply. Update: all else.' }),
    lastWrite: wireTime.nullable().meta({
      description:
        'When it last wrote any field of the flag: of a single one nothing is known. Null: it has claimed fields only, and changed none.',
    }),
    protected: z.boolean().meta({ description: 'Its fields are not written unasked.' }),
  })
  .meta({ id: 'FieldOwner' });

const wireField = z
  .object({
    path: z.string().meta({ description: 'Where it stands in the custom resource.', examples: [examplePath] }),
    protected: z.boolean().meta({ description: 'A write of it is refused with 409, unless it is forced.' }),
    owners: z.array(wireOwner).meta({ description: 'Empty: no manager claims it.' }),
  })
  .meta({ id: 'OwnedField' });

export const wireOwnership = z
  .object({
    version: z.literal(1),
    project: z.string().meta({ examples: ['shop'] }),
    feature: z.string().meta({ examples: ['one-page-checkout'] }),
    managedFields: z
      .enum(['Reject', 'TakeOver'])
      .meta({ description: 'TakeOver: the project lets fields be written that are protected otherwise.' }),
    total: z
      .int()
      .min(0)
      .meta({ description: 'How many fields there are.', examples: [12] }),
    fields: z.array(wireField).meta({ description: 'By path.' }),
  })
  .meta({ id: 'Ownership' });

export const wireHandOver = wireOwnership
  .extend({
    handedOver: z.array(z.string()).meta({
      description: 'The paths of the fields that Vexil holds now beside their owners.',
      examples: [[examplePath]],
    }),
    nextStep: z.string().meta({ description: 'What is left to do, in words.' }),
  })
  .meta({ id: 'HandOver', description: 'The ownership after it.' });

const MAX_HANDED_OVER = 1000;
const MAX_PATH_LENGTH = 2000;

export const handOverBody = z
  .strictObject({
    fields: z
      .array(z.string().min(1).max(MAX_PATH_LENGTH))
      .min(1)
      .max(MAX_HANDED_OVER)
      .optional()
      .meta({ description: 'Paths as in the ownership; absent: every switch that a tool applies.' }),
  })
  .meta({ id: 'HandOverFields', examples: [{ fields: [examplePath] }] });

export interface OwnershipView {
  readonly flag: FeatureFlag;
  readonly project: Project | undefined;
  readonly fieldsWithOwners: readonly FieldWithOwners[];
}

export function presentOwnership(
  { flag, project, fieldsWithOwners }: OwnershipView,
  { offset, limit }: OwnershipPage,
): z.infer<typeof wireOwnership> {
  const managedFields = project?.spec.managedFields ?? 'Reject';
  return {
    version: 1,
    project: projectIdOf(flag),
    feature: wireNameOf(flag),
    managedFields,
    total: fieldsWithOwners.length,
    fields: fieldsWithOwners.slice(offset, offset + limit).map(({ text, owners }) => ({
      path: text,
      protected: managedFields === 'Reject' && owners.some(({ isProtected }) => isProtected),
      owners: owners.map(presentOwner),
    })),
  };
}

export function presentOwner({ manager, operation, time, isProtected }: ProtectableOwner): z.infer<typeof wireOwner> {
  return { manager, operation, lastWrite: time === undefined ? null : presentTime(time), protected: isProtected };
}
