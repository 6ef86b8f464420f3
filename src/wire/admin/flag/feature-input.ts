/** The bodies of requests about flags. */
import { z } from 'zod';
import type { Metadata } from '../../../domain/flag/metadata-fields.ts';
import { wireNameOf } from '../../../domain/identity/names.ts';
import { Refusal } from '../../../errors.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import { wireName } from '../../../schema/fields/shapes.ts';
import { parse } from '../../parse-input.ts';
import { applyJsonPatch, changes, type PatchOperation } from '../json-patch.ts';
import { presentFeature } from './feature.ts';
import { KEPT_BY_PUT, metadataBody, replacedMetadata, wholeMetadata } from './feature-metadata.ts';

/** The body of POST …/features. Null means absent, unknown fields are dropped. */
export const createBody = z
  .object({
    name: wireName('The name of the flag; it can never be changed.'),
    ...metadataBody,
  })
  .meta({
    id: 'CreateFeature',
    description: 'A property that is null or absent gets its default. Unknown properties are dropped.',
    examples: [{ name: 'one-page-checkout', description: 'The new checkout', type: 'release' }],
  });

/** The body of POST …/clone. */
export const cloneBody = z
  .object({ name: wireName('The name of the new flag.') })
  .meta({ id: 'CloneFeature', examples: [{ name: 'two-page-checkout' }] });

/** The body of PUT …/features/:featureName. */
export const updateBody = z
  .object({
    name: z.string().nullable().optional().meta({ description: 'If present, the name of the flag.' }),
    ...metadataBody,
  })
  .meta({
    id: 'UpdateFeature',
    description: `A property that is null or absent gets its default. These stay if they are absent: ${KEPT_BY_PUT.join(', ')}. Unknown properties are dropped.`,
    examples: [{ description: 'The new checkout', type: 'experiment', stale: false, impressionData: true }],
  });

/** The fields that count in the result of a PATCH; a new name is ignored (docs/unleash-compatibility.md#requests). */
const patchedFields = updateBody.omit({ name: true });

/** PUT replaces the metadata, except what `KEPT_BY_PUT` names. */
export function metadataOfUpdate(flag: FeatureFlag, body: z.infer<typeof updateBody>): Partial<Metadata> {
  const name = wireNameOf(flag);
  if (body.name !== undefined && body.name !== null && body.name !== name) {
    const message = `Cannot change the name of a flag. You sent "${body.name}", the flag is named "${name}".`;
    throw new Refusal('invalid', message, { details: [{ part: 'body', keys: ['name'], message }] });
  }
  return replacedMetadata(body);
}

/** PATCH applies to the flag as GET answers it; only the metadata of the result counts. */
export function metadataOfPatch(flag: FeatureFlag, operations: readonly PatchOperation[]): Metadata {
  if (operations.some((operation) => changes(operation, '/variants'))) {
    throw new Refusal('operation-denied', 'Variants cannot be changed here: use PATCH or PUT on …/variants.');
  }
  const patched = parse(patchedFields, applyJsonPatch(presentFeature(flag), operations), 'body');
  return wholeMetadata(patched);
}
