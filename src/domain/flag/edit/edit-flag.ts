/** Edits of a flag: functions from a spec to the next one. Unchanged parts are shared. */
import type { FlagEnvironment, FlagSpec } from '../../../schema/feature-flag.ts';
import { type Metadata, metadataDefaults, metadataFields } from '../metadata-fields.ts';

/** The metadata of the flag, with defaults for absent fields. */
export function metadataOf(spec: FlagSpec): Metadata {
  return Object.fromEntries(metadataFields.map((field) => [field, spec[field] ?? metadataDefaults[field]])) as Metadata;
}

/**
 * Writes only the fields whose value changes: an absent field that already stands for the value stays absent. A field
 * that `wanted` lacks stays as it is; one that becomes undefined is removed.
 */
export function setMetadata(spec: FlagSpec, wanted: Partial<Metadata>): FlagSpec {
  const present = metadataOf(spec);
  const changed = metadataFields.filter((field) => field in wanted && wanted[field] !== present[field]);
  const next = { ...spec, ...Object.fromEntries(changed.map((field) => [field, wanted[field]])) };
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
}

export function archive(spec: FlagSpec): FlagSpec {
  return spec.archived ? spec : { ...spec, archived: true };
}

/** Restores the flag from the archive, switched off everywhere (docs/unleash-compatibility.md#revive). */
export function revive(spec: FlagSpec): FlagSpec {
  if (!spec.archived) return spec;
  const { archived: _, ...rest } = spec;
  return { ...rest, ...environmentsWith(spec, switchedOff) };
}

function switchedOff(environment: FlagEnvironment): FlagEnvironment {
  return environment.enabled ? { ...environment, enabled: false } : environment;
}

/** The environments of the spec, each changed by `edit`; an empty object if the spec has none. */
export function environmentsWith(
  { environments }: FlagSpec,
  edit: (environment: FlagEnvironment) => FlagEnvironment,
): Pick<FlagSpec, 'environments'> {
  if (!environments) return {};
  const edited = Object.entries(environments).map(([name, value]) => [name, value && edit(value)]);
  return { environments: Object.fromEntries(edited) };
}
