/** The verdict on a user: its status. */

import type { Ref } from '../../model/object.ts';
import type { FlagUser, FlagUserStatus } from '../../schema/flag-user.ts';
import { wantedId } from '../identity/integer-id.ts';
import { defectFindings, type Finding, idConflict, judged, nameConflict } from '../judgement/findings.ts';
import type { Verdict } from '../judgement/verdict.ts';
import type { Role } from './roles.ts';

export interface UserInContext {
  readonly user: FlagUser;
  /** The id for the status of the user; undefined: none. */
  readonly id: number | undefined;
  /** The older user that owns the username, if there is one. */
  readonly conflictingOwner: Ref | undefined;
  /** The user that owns the id, if it is another. */
  readonly idConflictWith: Ref | undefined;
  /** The older user with the same subject, by subject. */
  readonly subjectConflictsWith: ReadonlyMap<string, Ref>;
  /** The older user with the same e-mail address, if there is one. */
  readonly emailConflictWith: Ref | undefined;
  readonly roleNamed: (name: string) => Role | undefined;
}

type Check = (context: UserInContext) => readonly Finding[];

const checks: readonly Check[] = [
  ({ user }) => defectFindings(user.defects).map(withoutAddress),
  ({ user, conflictingOwner }) =>
    nameConflict('user', user, conflictingOwner).map((finding) => ({ ...finding, path: ['username'] })),
  ({ user, idConflictWith }) => idConflict(wantedId(user), idConflictWith),
  subjectsAreItsOwn,
  emailIsItsOwn,
  rootRoleExists,
];

/** `now` in ms since 1970. */
export function judgeUser(context: UserInContext, now: number): Verdict<FlagUserStatus> {
  const { user, id } = context;
  const findings = checks.flatMap((check) => check(context));
  return {
    status: {
      ...judged({ object: user, findings, now }),
      ...(id !== undefined && { id }),
    },
  };
}

/** Kubernetes users may read the status and not the spec, so the status holds no e-mail address. */
function withoutAddress(finding: Finding): Finding {
  return finding.path[0] === 'email' ? { ...finding, message: 'is no e-mail address' } : finding;
}

/** A subject must belong to one user, so that the author of a change is unambiguous. */
function subjectsAreItsOwn({ subjectConflictsWith }: UserInContext): readonly Finding[] {
  return [...subjectConflictsWith].map(([subject, { namespace, name }]) => ({
    severity: 'Error',
    path: ['subjects'],
    reason: 'SubjectConflict',
    message: `${subject} already belongs to the older user ${namespace}/${name}: remove it from one of the two`,
  }));
}

function emailIsItsOwn({ emailConflictWith }: UserInContext): readonly Finding[] {
  if (!emailConflictWith) return [];
  const message = `the older user ${emailConflictWith.namespace}/${emailConflictWith.name} has the same address`;
  return [{ severity: 'Warning', path: ['email'], reason: 'EmailShared', message }];
}

function rootRoleExists({ user, roleNamed }: UserInContext): readonly Finding[] {
  const name = user.spec.rootRole;
  if (name === undefined || roleNamed(name)?.type === 'root') return [];
  const message = `there is no root role "${name}", so the user is a Viewer: name Admin, Editor, Viewer, or a FlagRole of type root`;
  return [{ severity: 'Error', path: ['rootRole'], reason: 'RoleNotFound', message }];
}
