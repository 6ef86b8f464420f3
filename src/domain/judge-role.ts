/** The verdict on a role: its status. */
import type { Environment } from '../schema/environment.ts';
import type { FlagRole, FlagRoleStatus } from '../schema/flag-role.ts';
import type { Ref } from '../schema/object.ts';
import { permissionNames } from '../schema/permission.ts';
import { defectFindings, type Finding, idConflict, judged, nameConflict } from './findings.ts';
import { wireNameOf } from './names.ts';
import { wantedId } from './numbered.ts';
import { EVERY } from './permissions.ts';
import type { Verdict } from './verdict.ts';

export interface RoleInContext {
  readonly role: FlagRole;
  /** The id that it may have; undefined: none. */
  readonly id: number | undefined;
  /** The older role that holds the wire name, if there is one. */
  readonly rival: Ref | undefined;
  /** The role that holds the id, if it is another. */
  readonly idRival: Ref | undefined;
  readonly everyEnvironment: ReadonlyMap<string, Environment>;
}

type Check = (context: RoleInContext) => readonly Finding[];

const checks: readonly Check[] = [
  ({ role }) => defectFindings(role.defects),
  ({ role, rival }) => (rival ? [nameConflict('role', wireNameOf(role), rival)] : []),
  ({ role, idRival }) => idConflict(wantedId(role), idRival),
  permissionsAreKnown,
  environmentsExist,
];

/** `now` in ms since 1970. */
export function judgeRole(context: RoleInContext, now: number): Verdict<FlagRoleStatus> {
  const { role, id } = context;
  const findings = checks.flatMap((check) => check(context));
  return {
    status: {
      ...judged({ object: role, findings, now }),
      ...(id !== undefined && { id }),
    },
  };
}

const known: ReadonlySet<string> = new Set(permissionNames);

/** The API server takes no such name; one may be stored that another version knew. */
function permissionsAreKnown({ role }: RoleInContext): readonly Finding[] {
  return (role.spec.permissions ?? []).flatMap(({ name }, index): Finding[] => {
    if (known.has(name)) return [];
    const message = `this version knows no permission "${name}", so it allows nothing`;
    return [{ severity: 'Warning', path: ['permissions', `${index}`, 'name'], reason: 'UnknownPermission', message }];
  });
}

function environmentsExist({ role, everyEnvironment }: RoleInContext): readonly Finding[] {
  return (role.spec.permissions ?? []).flatMap(({ environment }, index): Finding[] => {
    if (environment === undefined || environment === EVERY || everyEnvironment.has(environment)) return [];
    const message = `there is no environment "${environment}", so it allows nothing: create it or name another`;
    const path = ['permissions', `${index}`, 'environment'];
    return [{ severity: 'Warning', path, reason: 'EnvironmentNotFound', message }];
  });
}
