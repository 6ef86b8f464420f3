/** The permissions that a write of a whole flag needs: those of the endpoints that change its parts one by one. */
import type { FlagEnvironment, FlagSpec } from '../../../schema/feature-flag.ts';
import type { PermissionName } from '../../../schema/permission.ts';
import { metadataFields } from '../metadata-fields.ts';
import { differ, own, type SpecWrite } from './environments-touched.ts';

export interface PartPermission {
  readonly permission: PermissionName;
  /** Absent: the part is for all environments. */
  readonly environment?: string;
}

/** Each pair of permission and environment once. */
export function permissionsToChange({ before, after }: SpecWrite<FlagSpec>): readonly PartPermission[] {
  const [old, next] = [before ?? {}, after ?? {}];
  const names = new Set([old, next].flatMap(({ environments }) => Object.keys(environments ?? {})));
  return [
    ...permissionsOfFlag(old, next).map((permission) => ({ permission })),
    ...[...names].flatMap((environment) => {
      const parts = [old, next].map(({ environments }) => own(environments ?? {}, environment) ?? {});
      const [there = {}, wanted = {}] = parts;
      return [...permissionsThere(there, wanted)].map((permission) => ({ permission, environment }));
    }),
  ];
}

function permissionsOfFlag(old: FlagSpec, next: FlagSpec): readonly PermissionName[] {
  const hasChanged = (...fields: readonly (keyof FlagSpec)[]) =>
    fields.some((field) => isOther(old[field], next[field]));
  const isArchived = next.archived === true && old.archived !== true;
  const isRevived = next.archived !== true && old.archived === true;
  return [
    ...(hasChanged(...metadataFields, 'tags') || isRevived ? (['UPDATE_FEATURE'] as const) : []),
    ...(isArchived ? (['DELETE_FEATURE'] as const) : []),
    ...(hasChanged('dependencies') ? (['UPDATE_FEATURE_DEPENDENCY'] as const) : []),
    ...(hasChanged('variants') ? (['UPDATE_FEATURE_VARIANTS'] as const) : []),
  ];
}

function permissionsThere(old: FlagEnvironment, next: FlagEnvironment): ReadonlySet<PermissionName> {
  const hasChanged = (...fields: readonly (keyof FlagEnvironment)[]) =>
    fields.some((field) => isOther(old[field], next[field]));
  const [strategies, wanted] = [old.strategies ?? {}, next.strategies ?? {}];
  return new Set<PermissionName>([
    ...(hasChanged('enabled', 'activeFrom', 'activeUntil') ? (['UPDATE_FEATURE_ENVIRONMENT'] as const) : []),
    ...(hasChanged('variants') ? (['UPDATE_FEATURE_ENVIRONMENT_VARIANTS'] as const) : []),
    ...Object.keys({ ...strategies, ...wanted }).flatMap((key) => {
      const [one, other] = [own(strategies, key), own(wanted, key)];
      if (!one) return other ? (['CREATE_FEATURE_STRATEGY'] as const) : [];
      if (!other) return ['DELETE_FEATURE_STRATEGY'] as const;
      return differ(one, other) ? (['UPDATE_FEATURE_STRATEGY'] as const) : [];
    }),
  ]);
}

/** Null counts as absent. */
function isOther(one: unknown, other: unknown): boolean {
  return differ({ value: one ?? undefined }, { value: other ?? undefined });
}
