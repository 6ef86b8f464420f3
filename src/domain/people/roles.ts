/** Built-in and custom roles. */
import { builtInRoleNames, type FlagRole, type RoleType } from '../../schema/flag-role.ts';
import { wireNameOf } from '../identity/names.ts';

export interface Role {
  readonly id: number;
  readonly name: string;
  readonly type: RoleType;
  readonly description: string;
  /** Absent for a built-in role. */
  readonly custom?: FlagRole;
}

const builtIn: Readonly<Record<(typeof builtInRoleNames)[number], Pick<Role, 'type' | 'description'>>> = {
  Admin: { type: 'root', description: 'May do everything, everywhere.' },
  Editor: {
    type: 'root',
    description: 'May change flags, strategy types, segments and tag types, and create projects.',
  },
  Viewer: { type: 'root', description: 'May read. Roles in projects may allow more.' },
  Owner: { type: 'project', description: 'May do everything in the project, and manage its members.' },
  Member: { type: 'project', description: 'May change the flags of the project.' },
};

/** The built-in roles in the order of their ids, from 1 (docs/unleash-compatibility.md#permissions-and-roles). */
export const builtInRoles: readonly Role[] = builtInRoleNames.map((name, index) => {
  return { id: index + 1, name, ...builtIn[name] };
});

const builtInByName = new Map(builtInRoles.map((role) => [role.name.toLowerCase(), role]));

/** Ignores case: projects have `owner`, the API has `Owner`. */
export function builtInRoleNamed(name: string): Role | undefined {
  return builtInByName.get(name.toLowerCase());
}

/** The spelling in a Project: built-in names in lower case. */
export function roleNameInProject({ name, custom }: Role): string {
  return custom ? name : name.toLowerCase();
}

/** Undefined if the status of the role has no id. */
export function roleOf(custom: FlagRole): Role | undefined {
  const { spec, status } = custom;
  if (status?.id === undefined) return undefined;
  return {
    id: status.id,
    name: wireNameOf(custom),
    type: spec.type ?? 'project',
    description: spec.description ?? '',
    custom,
  };
}
