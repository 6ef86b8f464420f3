/** The verdict on a user: its status. */
import type { FlagUser, FlagUserStatus } from '../schema/flag-user.ts';
import type { Ref } from '../schema/object.ts';
import { defectFindings, type Finding, idConflict, judged, nameConflict } from './findings.ts';
import { wireNameOf } from './names.ts';
import { wantedId } from './numbered.ts';
import type { Role } from './roles.ts';
import type { Verdict } from './verdict.ts';

export interface UserInContext {
  readonly user: FlagUser;
  /** The id that it may have; undefined: none. */
  readonly id: number | undefined;
  /** The older user that holds the username, if there is one. */
  readonly rival: Ref | undefined;
  /** The user that holds the id, if it is another. */
  readonly idRival: Ref | undefined;
  /** The older user with the same subject, for each subject of this one that has one. */
  readonly subjectRivals: ReadonlyMap<string, Ref>;
  /** The older user with the same e-mail address, if there is one. */
  readonly emailRival: Ref | undefined;
  readonly roleNamed: (name: string) => Role | undefined;
}

type Check = (context: UserInContext) => readonly Finding[];

const checks: readonly Check[] = [
  ({ user }) => defectFindings(user.defects).map(withoutAddress),
  ({ user, rival }) => (rival ? [{ ...nameConflict('user', wireNameOf(user), rival), path: ['username'] }] : []),
  ({ user, idRival }) => idConflict(wantedId(user), idRival),
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

/** A status is read by more people than the spec should be, so no address is in it. */
function withoutAddress(finding: Finding): Finding {
  return finding.path[0] === 'email' ? { ...finding, message: 'is no e-mail address' } : finding;
}

/** Who an author is must be beyond doubt. */
function subjectsAreItsOwn({ subjectRivals }: UserInContext): readonly Finding[] {
  return [...subjectRivals].map(([subject, { namespace, name }]) => ({
    severity: 'Error',
    path: ['subjects'],
    reason: 'SubjectConflict',
    message: `${subject} is already the older user ${namespace}/${name}: take it off one of the two`,
  }));
}

function emailIsItsOwn({ emailRival }: UserInContext): readonly Finding[] {
  if (!emailRival) return [];
  const message = `the older user ${emailRival.namespace}/${emailRival.name} has the same address`;
  return [{ severity: 'Warning', path: ['email'], reason: 'EmailShared', message }];
}

function rootRoleExists({ user, roleNamed }: UserInContext): readonly Finding[] {
  const name = user.spec.rootRole;
  if (name === undefined || roleNamed(name)?.type === 'root') return [];
  const message = `there is no root role "${name}", so the user is a Viewer: name Admin, Editor, Viewer, or a FlagRole of type root`;
  return [{ severity: 'Error', path: ['rootRole'], reason: 'RoleNotFound', message }];
}
