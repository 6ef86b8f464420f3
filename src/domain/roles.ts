/** The roles that there are: those that are built in, and those that people define. */
import { builtInRoleNames, type FlagRole, type RoleType } from '../schema/flag-role.ts';
import { wireNameOf } from './names.ts';

export interface Role {
  readonly id: number;
  readonly name: string;
  readonly type: RoleType;
  readonly description: string;
  /** Absent: it is built in. */
  readonly custom?: FlagRole;
}

const builtIn: Readonly<Record<(typeof builtInRoleNames)[number], Pick<Role, 'type' | 'description'>>> = {
  Admin: { type: 'root', description: 'May do everything, everywhere.' },
  Editor: { type: 'root', description: 'May work with flags and with what they are made of, and create projects.' },
  Viewer: { type: 'root', description: 'May read, and nothing more than that, unless a project says otherwise.' },
  Owner: { type: 'project', description: 'May do everything in the project, and says who belongs to it.' },
  Member: { type: 'project', description: 'May work with the flags of the project.' },
};

/** By their ids, from 1 (facts §7). */
export const builtInRoles: readonly Role[] = builtInRoleNames.map((name, index) => {
  return { id: index + 1, name, ...builtIn[name] };
});

const builtInByName = new Map(builtInRoles.map((role) => [role.name.toLowerCase(), role]));

/** Whatever the case: projects say owner, the wire says Owner. */
export function builtInRoleNamed(name: string): Role | undefined {
  return builtInByName.get(name.toLowerCase());
}

/** As people write it in projects: the built-in ones in small letters. */
export function roleNameInProject({ name, custom }: Role): string {
  return custom ? name : name.toLowerCase();
}

/** undefined: it has no id yet, or not any more. */
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
