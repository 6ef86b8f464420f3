/** What callers send about flags. */
import { z } from 'zod';
import { type Metadata, metadataOf } from '../../domain/edit-flag.ts';
import { DEFAULT_TYPE } from '../../domain/flag-values.ts';
import { wireNameOf } from '../../domain/names.ts';
import { AppError } from '../../errors.ts';
import { type FeatureFlag, type FlagSpec, flagTypes } from '../../schema/feature-flag.ts';
import { text, wireName } from '../../schema/shapes.ts';
import { parse } from '../validation.ts';
import { presentFeature } from './feature.ts';
import { applyJsonPatch, changes, type PatchOperation } from './json-patch.ts';

const description = text(4096, 'What the flag does, for people.').nullable();
const flagType = z.enum(flagTypes);

/** The body of endpoint 3. Null means absent, unknown fields are dropped. */
export const createBody = z
  .object({
    name: wireName('The name of the flag; it can never be changed.'),
    description: description.optional(),
    type: flagType.nullable().optional(),
    impressionData: z.boolean().nullable().optional(),
    stale: z.boolean().nullable().optional(),
  })
  .meta({
    id: 'CreateFeature',
    description: 'What is null or left out has its default. Unknown properties are dropped.',
    examples: [{ name: 'one-page-checkout', description: 'The new checkout', type: 'release' }],
  });

/** Only what the caller said is written: absent fields stay absent. */
export function specOfCreate({ name: _, ...fields }: z.infer<typeof createBody>): FlagSpec {
  return withoutNulls(fields);
}

/** The body of endpoint 7. */
export const cloneBody = z
  .object({ name: wireName('The name of the new flag.') })
  .meta({ id: 'CloneFeature', examples: [{ name: 'two-page-checkout' }] });

/** The body of endpoint 5. */
export const updateBody = z
  .object({
    name: z.string().nullable().optional().meta({ description: 'If it is there, the name that the flag has.' }),
    description: description.optional(),
    type: flagType.nullable().optional(),
    stale: z.boolean().nullable().optional(),
    impressionData: z.boolean().nullable().optional(),
  })
  .meta({
    id: 'UpdateFeature',
    description:
      'What is null or left out gets its default; a description that is left out stays. Unknown properties are dropped.',
    examples: [{ description: 'The new checkout', type: 'experiment', stale: false, impressionData: true }],
  });

/** What counts of the result of endpoint 6; a new name is ignored, not refused (facts §5.3). */
const patchedFields = updateBody.omit({ name: true });

/** PUT replaces the metadata; a description that is left out stays (facts §6). */
export function metadataOfUpdate(flag: FeatureFlag, body: z.infer<typeof updateBody>): Metadata {
  const name = wireNameOf(flag);
  if (body.name !== undefined && body.name !== null && body.name !== name) {
    const message = `Cannot change the name of a flag. You sent "${body.name}", the flag is named "${name}".`;
    throw new AppError('invalid', message, { details: [{ path: '/body/name', message }] });
  }
  return {
    ...(body.description !== undefined && { description: body.description ?? '' }),
    type: body.type ?? DEFAULT_TYPE,
    stale: body.stale ?? false,
    impressionData: body.impressionData ?? false,
  };
}

/** Endpoint 6: the patch applies to the flag as it is answered; of the result only the metadata counts. */
export function metadataOfPatch(flag: FeatureFlag, operations: readonly PatchOperation[]): Metadata {
  if (operations.some((operation) => changes(operation, '/variants'))) {
    throw new AppError('operation-denied', 'Variants cannot be changed here: use PATCH or PUT on …/variants.');
  }
  const patched = parse(patchedFields, applyJsonPatch(presentFeature(flag), operations), 'body');
  return { ...metadataOf({}), ...withoutNulls(patched) };
}

function withoutNulls<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], null | undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]: Exclude<T[K], null | undefined> };
}
