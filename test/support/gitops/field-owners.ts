/** Who owns which fields of a spec, as managedFields say. */
import type { Stored } from '../stored.ts';

/**
 * `Apply kustomize-controller`: the leaves of the spec that it owns, dotted; keys of sets and maps as managedFields
 * writes them.
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
