/** The verdict on a role: its status. */

import type { Ref } from '../../model/object.ts';
import type { Environment } from '../../schema/environment.ts';
import type { FlagRole, FlagRoleStatus } from '../../schema/flag-role.ts';
import { permissionNames } from '../../schema/permission.ts';
import { wantedId } from '../identity/integer-id.ts';
import { defectFindings, type Finding, idConflict, judged, nameConflict } from '../judgement/findings.ts';
import type { Verdict } from '../judgement/verdict.ts';
import { EVERY } from './permissions.ts';

export interface RoleInContext {
  readonly role: FlagRole;
  /** The id for the status of the role; undefined: none. */
  readonly id: number | undefined;
  /** The older role that owns the wire name, if there is one. */
  readonly conflictingOwner: Ref | undefined;
  /** The role that owns the id, if it is another. */
  readonly idConflictWith: Ref | undefined;
  readonly everyEnvironment: ReadonlyMap<string, Environment>;
}

type Check = (context: RoleInContext) => readonly Finding[];

const checks: readonly Check[] = [
  ({ role }) => defectFindings(role.defects),
  ({ role, conflictingOwner }) => nameConflict('role', role, conflictingOwner),
  ({ role, idConflictWith }) => idConflict(wantedId(role), idConflictWith),
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

const knownNames: ReadonlySet<string> = new Set(permissionNames);

/** The API server rejects unknown names; another version of the CRD may have accepted one. */
function permissionsAreKnown({ role }: RoleInContext): readonly Finding[] {
  return (role.spec.permissions ?? []).flatMap(({ name }, index): Finding[] => {
    if (knownNames.has(name)) return [];
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
