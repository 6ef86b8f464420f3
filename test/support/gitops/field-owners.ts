/** The owners of the fields of a spec, by managedFields. */
import type { Stored } from '../stored.ts';

/**
 * Returns the dotted leaves of the spec by owner, such as `Apply kustomize-controller`; keys of sets and maps are
 * written as in managedFields.
 */
export function ownersOf({ metadata }: Stored): Readonly<Record<string, readonly string[]>> {
  const entries: readonly Stored[] = (metadata.managedFields ?? []).filter((one: Stored) => !one.subresource);
  return Object.fromEntries(
    entries.flatMap(({ manager, operation, fieldsV1 }) => {
      const fieldsWithOwners = fieldsWithOwnersOf(fieldsV1?.['f:spec'] ?? {});
      return fieldsWithOwners.length > 0 ? [[`${operation} ${manager}`, fieldsWithOwners.toSorted()]] : [];
    }),
  );
}

function fieldsWithOwnersOf(fields: Stored): readonly string[] {
  return Object.entries<Stored>(fields).flatMap(([key, below]) => {
    const name = key.replace(/^[fkv]:/, '');
    if (key === '.') return [];
    const deeper = fieldsWithOwnersOf(below);
    return deeper.length > 0 ? deeper.map((rest) => `${name}.${rest}`) : [name];
  });
}
