/** Root rules for the wire name, which defaults to `metadata.name`. */
import type { RootRule } from '../../model/kind.ts';

/** A CEL expression for a field of the spec, with its default if the field or the spec is absent or null. */
export function effectiveCel(object: string, field: string, fallback: string): string {
  return `(has(${object}.spec) && ${object}.spec != null && has(${object}.spec.${field}) ? ${object}.spec.${field} : ${fallback})`;
}

/** The field that holds the wire name. */
type NameField = 'name' | 'username';

/** A CEL expression for the wire name. */
export const nameCel = (object: string, field: NameField) => effectiveCel(object, field, `${object}.metadata.name`);

export function nameRules(field: NameField = 'name'): readonly RootRule[] {
  const fieldPath = `.spec.${field}` as const;
  return [
    {
      rule: `size(${nameCel('self', field)}) <= 100`,
      message: `metadata.name is longer than the 100 characters that a name in the API may have: set spec.${field}`,
      fieldPath,
    },
    {
      rule: `${nameCel('self', field)} == ${nameCel('oldSelf', field)}`,
      message: `spec.${field} is immutable (absent means metadata.name): create another object under the new name`,
      fieldPath,
    },
  ];
}

/** Rejects names that equal a built-in name, ignoring case. */
export function nameIsFree(builtIn: readonly string[], noun: string): RootRule {
  return {
    rule: `!(${nameCel('self', 'name')}.lowerAscii() in [${builtIn.map((name) => `'${name.toLowerCase()}'`).join(', ')}])`,
    message: `this name is that of a built-in ${noun}: choose another`,
    fieldPath: '.spec.name',
  };
}
