/** Who may approve a change: a user of Kubernetes by the verb `approve`, a user of Vexil by a role. */
import type { Catalog } from '../catalog/catalog.ts';
import { APPROVE, groupsThatCount } from '../domain/approval/people.ts';
import { projectOfTarget } from '../domain/approval/target.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { isGranted } from '../domain/people/permissions.ts';
import { isClusterError } from '../errors.ts';
import type { ChangeApproval } from '../schema/change-approval.ts';
import type { ChangeRequest } from '../schema/change-request.ts';
import { environment as environmentKind } from '../schema/environment.ts';
import type { JudgeParts } from './definition.ts';

/** Returns why the approver may not decide on the request; undefined: the approver may. */
export type RefusalOfApprover = (approval: ChangeApproval, request: ChangeRequest) => Promise<string | undefined>;

export function approvalRights({ catalog, allows }: Pick<JudgeParts, 'catalog' | 'allows'>): RefusalOfApprover {
  return async (approval, request) => {
    const { kind, name } = approval.spec.approver;
    const names = catalog.guardedBy(request).map(wireNameOf);
    if (kind === 'FlagUser') return refusalOfUser(catalog, { name, request, names });
    const refusals = await Promise.all(names.map((one) => refusalIn(one)));
    return refusals.find((one) => one !== undefined);

    async function refusalIn(environment: string): Promise<string | undefined> {
      const { namespace } = approval.metadata;
      const access = { verb: APPROVE, resource: environmentKind.plural, namespace, name: environment };
      const identity = { username: name, groups: groupsThatCount(approval.spec), extra: {} };
      const may = await allows(identity, access).catch(unlessNotAllowedToAsk);
      if (may === 'unknown')
        return 'Vexil may not review the rights of users: bind the ClusterRole system:auth-delegator';
      return may
        ? undefined
        : `${name} lacks the verb approve on environments.vexil.dev/${environment} in ${namespace}`;
    }
  };
}

function unlessNotAllowedToAsk(error: unknown): 'unknown' {
  if (isClusterError(error, 'missing-permission')) return 'unknown';
  throw error;
}

interface ByUser {
  readonly name: string;
  readonly request: ChangeRequest;
  readonly names: readonly string[];
}

function refusalOfUser(catalog: Catalog, { name, request, names }: ByUser): string | undefined {
  const user = catalog.userNamed(name);
  if (!user) return `there is no user ${name}`;
  const target = catalog.targetOf(request);
  const project = target && projectOfTarget(target);
  const roles = catalog.rolesOf(user, project === undefined ? undefined : catalog.project(project));
  const missing = names.find(
    (environment) => !isGranted(roles, { permission: 'APPROVE_CHANGE_REQUEST', project, environment }),
  );
  return missing === undefined ? undefined : `${name} lacks the permission APPROVE_CHANGE_REQUEST in ${missing}`;
}
