/** Who asks for changes and who approves them, across the names that one person has. */
import type { Exempted } from '../../schema/approvals.ts';
import type { ChangeApprovalSpec } from '../../schema/change-approval.ts';
import type { Person } from '../../schema/change-request.ts';
import type { FlagUser } from '../../schema/flag-user.ts';
import { wireNameOf } from '../identity/names.ts';
import { foldedEmail, kubernetesName, subjectsOf } from '../people/subjects.ts';

/** The verb on an Environment that permits decisions on changes in it. Namespace: that of the request. */
export const APPROVE = 'approve';

/** The groups that the approver has recorded, and those that every such user has. */
export function groupsThatCount({
  approver,
  groups,
}: Pick<ChangeApprovalSpec, 'approver' | 'groups'>): readonly string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(approver.name) ?? [];
  const ofAccount = namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return [...new Set([...(groups ?? []), ...ofAccount, 'system:authenticated'])];
}

/** The users of Vexil, as far as two names may be those of one of them. */
export interface UsersByName {
  userNamed(name: string): FlagUser | undefined;
  userBySubject(name: string): FlagUser | undefined;
}

/**
 * Whether both may be the same person: by name, by the subjects of a FlagUser, or by its e-mail address.
 */
export function maySame(one: Person, other: Person, users: UsersByName): boolean {
  const [names, others] = [namesOf(one, users), namesOf(other, users)];
  return [...names].some((name) => others.has(name));
}

function namesOf({ kind, name }: Person, users: UsersByName): ReadonlySet<string> {
  const user = kind === 'FlagUser' ? users.userNamed(name) : users.userBySubject(name);
  const ofUser = user ? [wireNameOf(user), ...subjectsOf(user), foldedEmail(user) ?? []].flat() : [];
  return new Set([name, ...ofUser].map((one) => one.toLowerCase()));
}

/** Who writes at the API server. */
export interface Identified {
  readonly username: string;
  readonly groups: readonly string[];
}

export function isExempt({ username, groups }: Identified, exempt: readonly Exempted[] | null | undefined): boolean {
  return (exempt ?? []).some((one) => {
    return one.kind === 'Group' ? groups.includes(one.name) : username === kubernetesName(one);
  });
}
