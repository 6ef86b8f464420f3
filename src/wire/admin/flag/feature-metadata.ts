/** The metadata fields of a flag on the wire, in answers and in bodies. */
import { z } from 'zod';
import { metadataOf } from '../../../domain/flag/edit/edit-flag.ts';
import { type Metadata, metadataDefaults, metadataFields } from '../../../domain/flag/metadata-fields.ts';
import { type FlagSpec, flagTypes, type MetadataField, metadataShape } from '../../../schema/feature-flag.ts';
import { wireNullableText, wirePositive } from '../fields.ts';

/** The fields in the order of answers. A field without a default is in the answer only if the flag has it. */
export const wireMetadata = {
  type: z.enum(flagTypes),
  description: wireNullableText.meta({ examples: ['The new checkout'] }),
  stale: z.boolean(),
  impressionData: z.boolean(),
  lifetimeDays: wirePositive
    .optional()
    .meta({ description: 'The expected lifetime of this flag. Absent: that of its type.', examples: [90] }),
} as const satisfies Readonly<Record<MetadataField, z.ZodType>>;

const wireFields = Object.keys(wireMetadata) as readonly MetadataField[];

export function presentMetadata(spec: FlagSpec) {
  const metadata = metadataOf(spec);
  const shown = wireFields.filter((field) => metadata[field] !== undefined).map((field) => [field, metadata[field]]);
  return Object.fromEntries(shown) as z.output<z.ZodObject<typeof wireMetadata>>;
}

/** Null means absent in bodies. */
export const metadataBody = Object.fromEntries(
  Object.entries(metadataShape).map(([field, shape]) => [field, shape.nullable().optional()]),
) as { readonly [F in MetadataField]: z.ZodOptional<z.ZodNullable<(typeof metadataShape)[F]>> };
type MetadataBody = z.output<z.ZodObject<typeof metadataBody>>;

/** The fields that the body names. */
export function namedMetadata(body: MetadataBody): Partial<Metadata> {
  return Object.fromEntries(metadataFields.flatMap((field) => (body[field] == null ? [] : [[field, body[field]]])));
}

/** The whole metadata: a field that the body does not name gets its default. */
export function wholeMetadata(body: MetadataBody): Metadata {
  return { ...metadataDefaults, ...namedMetadata(body) };
}

/**
 * The fields of Unleash that a PUT resets if it leaves them out. Its clients know no field of Vexil, and must remove
 * none.
 */
const RESET_BY_PUT: readonly MetadataField[] = ['type', 'impressionData', 'stale'];

/** A PUT that leaves these out does not change them. */
export const KEPT_BY_PUT: readonly MetadataField[] = metadataFields.filter((field) => !RESET_BY_PUT.includes(field));

/** The metadata after a PUT: as `wholeMetadata`, without the fields that stay as they are. */
export function replacedMetadata(body: MetadataBody): Partial<Metadata> {
  const isKept = (field: string) => KEPT_BY_PUT.some((kept) => kept === field && body[kept] === undefined);
  return Object.fromEntries(Object.entries(wholeMetadata(body)).filter(([field]) => !isKept(field)));
}
