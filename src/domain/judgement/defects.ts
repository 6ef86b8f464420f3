/** Descriptions of parts of a stored object that cannot be read, for messages and refusals. */
import { Refusal } from '../../errors.ts';
import type { Defect } from '../../model/object.ts';
import { type Named, wireNameOf } from '../identity/names.ts';

/** For example `spec.environments.production.strategies.a`. */
export function placeOfDefect({ path }: Defect): string {
  return ['spec', ...path].join('.');
}

/** Refuses an edit that would overwrite the defect. `part` names the edited part in words, for example "tags". */
export function refuseDefect(object: Named, defect: Defect | undefined, part: string): void {
  if (!defect) return;
  throw new Refusal(
    'invalid',
    `Cannot change the ${part} of "${wireNameOf(object)}": ${defectText(defect)} Fix it with kubectl first.`,
  );
}

/** As `refuseDefect`, for an edit of a field of the spec. */
export function refuseDefectIn(object: Named & { readonly defects: readonly Defect[] }, field: string): void {
  refuseDefect(
    object,
    object.defects.find(({ path }) => path[0] === field),
    field,
  );
}

/** A sentence that names the defect. */
export function defectText(defect: Defect): string {
  return `${placeOfDefect(defect)} cannot be read (${defect.message}).`;
}
