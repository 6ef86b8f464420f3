/** The owners of the fields of a flag, on the wire. */
import { z } from 'zod';
import { projectIdOf } from '../../../domain/flag/flag-values.ts';
import { wireNameOf } from '../../../domain/identity/names.ts';
import type { FieldWithOwners, ProtectableOwner } from '../../../model/field-owner.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import type { Project } from '../../../schema/project.ts';
import { wireNatural } from '../fields.ts';
import { limitParam, startParam } from '../query.ts';
import { presentTimeOrNull, wireTime } from '../timestamp.ts';

const MAX_FIELDS = 5000;
const DEFAULT_FIELDS = 1000;

export const ownershipQuery = z.object({
  offset: startParam('The number of fields to skip.'),
  limit: limitParam('fields', { most: MAX_FIELDS, fallback: DEFAULT_FIELDS }),
});
export type OwnershipPage = z.output<typeof ownershipQuery>;

export const FIRST_PAGE: OwnershipPage = { offset: 0, limit: DEFAULT_FIELDS };

const examplePath = 'spec.environments.production.enabled';

export const wireOwner = z
  .object({
    manager: z.string().meta({ description: 'The name of the field manager.', examples: ['kustomize-controller'] }),
    operation: z.enum(['Apply', 'Update']).meta({ description: 'Apply: server-side apply. Update: any other write.' }),
    lastWrite: wireTime.nullable().meta({
      description:
        'The last time that the manager changed any field of the flag. The time of a single field is unknown. Null: the manager owns fields but has changed none.',
    }),
    protected: z.boolean().meta({ description: 'Vexil writes the fields of a protected manager only on request.' }),
  })
  .meta({ id: 'FieldOwner' });

const wireField = z
  .object({
    path: z.string().meta({ description: 'The path of the field in the custom resource.', examples: [examplePath] }),
    protected: z.boolean().meta({ description: 'Writes of the field are refused with 409 unless they are forced.' }),
    owners: z.array(wireOwner).meta({ description: 'Empty: no manager owns the field.' }),
  })
  .meta({ id: 'OwnedField' });

export const wireOwnership = z
  .object({
    version: z.literal(1),
    project: z.string().meta({ examples: ['shop'] }),
    feature: z.string().meta({ examples: ['one-page-checkout'] }),
    managedFields: z
      .enum(['Reject', 'TakeOver'])
      .meta({ description: 'TakeOver: the project allows writes of protected fields.' }),
    total: wireNatural.meta({ description: 'The number of fields.', examples: [12] }),
    fields: z.array(wireField).meta({ description: 'Sorted by path.' }),
  })
  .meta({ id: 'Ownership' });

export const wireHandOver = wireOwnership
  .extend({
    handedOver: z.array(z.string()).meta({
      description: 'The paths of the fields that Vexil owns now together with their owners.',
      examples: [[examplePath]],
    }),
    nextStep: z.string().meta({ description: 'The next step, in words.' }),
  })
  .meta({ id: 'HandOver', description: 'The ownership after the hand-over.' });

const MAX_HANDED_OVER = 1000;
const MAX_PATH_LENGTH = 2000;

export const handOverBody = z
  .strictObject({
    fields: z
      .array(z.string().min(1).max(MAX_PATH_LENGTH))
      .min(1)
      .max(MAX_HANDED_OVER)
      .optional()
      .meta({ description: 'Paths as `GET …/ownership` answers them. Absent: every switch that a tool applies.' }),
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
  return { manager, operation, lastWrite: presentTimeOrNull(time), protected: isProtected };
}
