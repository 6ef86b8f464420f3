/** Which environments a change of a flag is about: config/admission/opt-in/environment-permission.yaml asks the same of every door. */
import jsonPatch from 'fast-json-patch';
import type { FlagSpec } from '../schema/feature-flag.ts';

/** The wire names of those that the two specs say different things of; `before` is absent of a new flag. */
export function environmentsTouched(before: FlagSpec | undefined, after: FlagSpec): readonly string[] {
  const [old, next] = [before?.environments ?? {}, after.environments ?? {}];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].filter((name) => {
    const [one, other] = [own(old, name), own(next, name)];
    // Null is absent.
    return one && other ? jsonPatch.compare(one, other).length > 0 : Boolean(one) !== Boolean(other);
  });
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
