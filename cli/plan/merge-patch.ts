/** Merge patches of objects. */
import type { FieldChange } from '../../src/kube/object/field-changes.ts';
import { fieldsWithOwnersOf } from '../../src/kube/write/field-owners.ts';
import type { IsProtected } from '../../src/kube/write/match-protected-managers.ts';
import { isRecord } from '../../src/model/json.ts';
import type { CustomObject } from '../../src/model/object.ts';
import type { Conflict, ObjectPlan } from './plan-objects.ts';

/** The patch that makes one value from another. What the other lacks is removed where `goes` says so of its path. */
export function mergePatch(before: unknown, after: unknown, goes: (path: readonly string[]) => boolean): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key) && goes([key]));
  return Object.fromEntries([
    ...Object.entries(after).map(([key, value]) => {
      return [key, mergePatch(before[key], value, (path) => goes([key, ...path]))] as const;
    }),
    ...gone.map((key) => [key, null] as const),
  ]);
}

/** The plan of a patch that makes these changes, which is in conflict with the protected owners of the fields. */
export function planOfPatch(
  before: CustomObject<unknown, unknown>,
  changes: readonly FieldChange[],
  isProtected: IsProtected,
): Pick<ObjectPlan, 'action' | 'changes' | 'conflicts'> {
  const owned = fieldsWithOwnersOf(before, isProtected);
  const conflicts = changes.flatMap(({ path }): readonly Conflict[] => {
    const fields = owned.filter(({ text }) => text === path || text.startsWith(`${path}.`));
    const owner = fields.flatMap(({ owners }) => owners).find((one) => one.isProtected);
    return owner ? [{ field: path, manager: owner.manager }] : [];
  });
  const action = changes.length > 0 ? 'change' : 'none';
  return { action: conflicts.length > 0 ? 'conflict' : action, changes, conflicts };
}
