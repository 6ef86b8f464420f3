/** Rules over the whole object that tie the wire name to `metadata.name`. */
import type { RootRule } from './kind.ts';

/** CEL for a field of the spec with what it means when it, or the whole spec, is absent or null. */
export function effectiveCel(object: string, field: string, fallback: string): string {
  return `(has(${object}.spec) && ${object}.spec != null && has(${object}.spec.${field}) ? ${object}.spec.${field} : ${fallback})`;
}

const nameOf = (object: string) => effectiveCel(object, 'name', `${object}.metadata.name`);

export const nameRules: readonly RootRule[] = [
  {
    rule: `size(${nameOf('self')}) <= 100`,
    message: 'metadata.name is longer than the 100 characters that a name on the wire may have: set spec.name',
    fieldPath: '.spec.name',
  },
];

export const nameIsImmutable: RootRule = {
  rule: `${nameOf('self')} == ${nameOf('oldSelf')}`,
  message: 'spec.name is immutable (absent means metadata.name): create another object under the new name',
  fieldPath: '.spec.name',
};
