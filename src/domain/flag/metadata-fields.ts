/** The metadata fields of a flag: one row per field, with the value that an absent field stands for. */
import type { FlagSpec, MetadataField } from '../../schema/feature-flag.ts';

export const metadataDefaults = {
  type: 'release',
  description: '',
  impressionData: false,
  stale: false,
  lifetimeDays: undefined,
} as const satisfies { readonly [F in MetadataField]: FlagSpec[F] };

/** Every field with its value, or with its default. */
export type Metadata = {
  readonly [F in MetadataField]: Exclude<FlagSpec[F], undefined> | (typeof metadataDefaults)[F];
};

export const metadataFields = Object.keys(metadataDefaults) as readonly MetadataField[];
