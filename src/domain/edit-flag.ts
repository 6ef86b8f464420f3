/** Edits of a flag: functions from a spec to the next one, which share what they leave alone. */
import type { FlagEnvironment, FlagSpec, FlagType } from '../schema/feature-flag.ts';
import { flagTypeOf } from './flag-values.ts';

export interface Metadata {
  /** Absent: stays as it is. */
  readonly description?: string;
  readonly type: FlagType;
  readonly stale: boolean;
  readonly impressionData: boolean;
}

/** What the metadata of the flag is, with defaults for what is absent. */
export function metadataOf(spec: FlagSpec): Required<Metadata> {
  return {
    description: spec.description ?? '',
    type: flagTypeOf(spec),
    stale: spec.stale ?? false,
    impressionData: spec.impressionData ?? false,
  };
}

/** Writes only the fields whose meaning changes: an absent one that already means the value stays absent. */
export function setMetadata(spec: FlagSpec, wanted: Metadata): FlagSpec {
  const present = metadataOf(spec);
  const changed = (Object.keys(wanted) as (keyof Metadata)[]).filter((field) => wanted[field] !== present[field]);
  return { ...spec, ...Object.fromEntries(changed.map((field) => [field, wanted[field]])) };
}

export function archive(spec: FlagSpec): FlagSpec {
  return spec.archived ? spec : { ...spec, archived: true };
}

/** Back from the archive, switched off everywhere (facts §3). */
export function revive(spec: FlagSpec): FlagSpec {
  if (!spec.archived) return spec;
  const { archived: _, ...rest } = spec;
  return { ...rest, ...environmentsWith(spec, switchedOff) };
}

function switchedOff(environment: FlagEnvironment): FlagEnvironment {
  return environment.enabled ? { ...environment, enabled: false } : environment;
}

/** Each environment of the spec changed by `edit`; nothing where there are none. */
export function environmentsWith(
  { environments }: FlagSpec,
  edit: (environment: FlagEnvironment) => FlagEnvironment,
): Pick<FlagSpec, 'environments'> {
  if (!environments) return {};
  const edited = Object.entries(environments).map(([name, value]) => [name, value && edit(value)]);
  return { environments: Object.fromEntries(edited) };
}
