/** Change requests on behalf of a caller: asking for a change, deciding on it, withdrawing it. */
import type { Permission } from '../access/caller.ts';
import { APPROVE, groupsThatCount, maySame } from '../domain/approval/people.ts';
import { isFinal } from '../domain/approval/request-life.ts';
import { presentIn, projectOfTarget, type RequestWithTarget, type TargetKind } from '../domain/approval/target.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { type ChangeToApprove, Refusal } from '../errors.ts';
import { type ChangeApproval, MAX_APPROVED_ENVIRONMENTS, MAX_APPROVER_GROUPS } from '../schema/change-approval.ts';
import type { ChangeRequest, ChangeRequestSpec, Person } from '../schema/change-request.ts';
import { environment as environmentKind } from '../schema/environment.ts';
import type { Services } from './services.ts';

const MAX_NAME_LENGTH = 200;

export interface Asking {
  readonly change: ChangeToApprove;
  readonly reason: string | undefined;
  readonly dryRun: boolean;
}

/** Makes a request for the change. Throws if the object does not exist yet. */
export async function askForChange(services: Services, { change, reason, dryRun }: Asking): Promise<ChangeRequest> {
  const { namespace, target, wanted } = change;
  if (target.uid === undefined) {
    const message = `The flag "${target.name}" does not exist yet. Create it without the environments that need approval, and then ask for the change.`;
    throw new Refusal('invalid-operation', message);
  }
  const author = personOf(services);
  const spec = { target, ...wanted, ...(reason !== undefined && { reason }), author } as ChangeRequestSpec;
  return services.changeRequests.create(namespace, { name: newName(services, target.name), spec }, { dryRun });
}

/**
 * For an object that several may ask to change at once. The time in milliseconds comes first, because a
 * creationTimestamp has whole seconds only: comments and decisions of one second are ordered by their names.
 */
function newName({ newId, now }: Pick<Services, 'newId' | 'now'>, name: string): string {
  const start = name.slice(0, MAX_NAME_LENGTH).replace(/[^a-z0-9]+$/, '');
  return `${start}-${now().toString(36)}${newId().slice(0, 4)}`;
}

/** Throws for a token that belongs to no user: its user could also be the person who approves. */
function personOf({ caller }: Pick<Services, 'caller'>): Person {
  const { kind, name } = caller.person;
  if (kind !== 'Token') return { kind, name };
  const message =
    'This token belongs to no user, so it can neither ask for changes, decide on them, nor comment. Use a personal token, or sign in.';
  throw new Refusal('forbidden', message);
}

export interface Commenting {
  readonly comment: string;
  readonly dryRun: boolean;
}

/** Everybody who may read a request may comment on it. */
const MAX_COMMENTS = 100;

/** Records a comment of the caller, which decides nothing. */
export async function commentOn(
  services: Services,
  request: ChangeRequest,
  { comment, dryRun }: Commenting,
): Promise<ChangeApproval> {
  const { namespace, name, uid } = request.metadata;
  const approver = personOf(services);
  const present = services.catalog.allDecisionsOn(request).filter(({ spec }) => spec.decision === 'Comment');
  if (present.length >= MAX_COMMENTS) {
    throw new Refusal(
      'invalid-operation',
      `The change request "${name}" has ${present.length} comments, the most it can have.`,
    );
  }
  const spec = { request: { name, uid }, environments: [], approver, decision: 'Comment' as const, comment };
  return services.changeApprovals.create(namespace, { name: newName(services, name), spec }, { dryRun });
}

export interface Deciding {
  readonly decision: 'Approve' | 'Reject';
  readonly comment: string | undefined;
  readonly dryRun: boolean;
}

/** Records the decision of the caller. Throws if the caller may not decide, or if the request has ended. */
export async function decide(
  services: Services,
  request: ChangeRequest,
  { decision, comment, dryRun }: Deciding,
): Promise<void> {
  const { catalog, caller } = services;
  refuseEnded(request);
  const guarded = catalog.guardedBy(request).map(wireNameOf);
  const approver = personOf(services);
  const groups = caller.person.groups.slice(0, MAX_APPROVER_GROUPS);
  const refusal = await refusalToApprove(services, request, {
    guarded,
    inGroups: groupsThatCount({ approver, groups }),
  });
  if (refusal !== undefined) throw new Refusal('forbidden', `${refusal}${ofManyGroups(caller)}`);
  if (decision === 'Approve' && isOwn(services, request) && !mayApproveOwn(catalog, request)) {
    throw new Refusal('forbidden', 'You asked for this change, so another person has to approve it.');
  }
  if (guarded.length > MAX_APPROVED_ENVIRONMENTS) {
    throw new Refusal(
      'invalid-operation',
      `The request is about more than ${MAX_APPROVED_ENVIRONMENTS} environments that need approval: ask for fewer at once.`,
    );
  }
  const { namespace, name, uid } = request.metadata;
  const spec = {
    request: { name, uid },
    environments: guarded,
    approver,
    ...(groups.length > 0 && { groups }),
    decision,
    ...(comment !== undefined && { comment }),
  };
  await services.changeApprovals.create(namespace, { name: newName(services, name), spec }, { dryRun });
}

interface Approving {
  /** The names of the environments that need approval. */
  readonly guarded: readonly string[];
  /** The groups that are recorded, because the decision counts with these only. */
  readonly inGroups: readonly string[];
}

/** Why the caller may not approve; undefined: the caller may. */
async function refusalToApprove(
  { caller, catalog }: Pick<Services, 'caller' | 'catalog'>,
  request: ChangeRequest,
  { guarded, inGroups }: Approving,
): Promise<string | undefined> {
  const target = catalog.targetOf(request);
  const project = target && projectOfTarget(target);
  const { namespace } = request.metadata;
  for (const environment of guarded) {
    const access = { verb: APPROVE, resource: environmentKind.plural, namespace, name: environment };
    const where = { project, environment, accesses: [access], inGroups };
    const refusal = await caller.refusal({ permission: 'APPROVE_CHANGE_REQUEST', ...where });
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Whether the caller has asked for the change. */
export function isOwn({ caller, catalog }: Pick<Services, 'caller' | 'catalog'>, { spec }: ChangeRequest): boolean {
  const { kind, name } = caller.person;
  return kind !== 'Token' && maySame({ kind, name }, spec.author, catalog);
}

/** Whether the request waits for a decision that this caller can make, and has not made. */
export async function waitsFor(
  services: Pick<Services, 'caller' | 'catalog'>,
  request: ChangeRequest,
): Promise<boolean> {
  const { caller, catalog } = services;
  const { kind, name, groups } = caller.person;
  if (kind === 'Token' || (request.status?.phase ?? 'Pending') !== 'Pending') return false;
  const approver = { kind, name };
  if (isOwn(services, request) && !mayApproveOwn(catalog, request)) return false;
  const decisions = catalog.allDecisionsOn(request).filter(({ spec }) => spec.decision !== 'Comment');
  if (decisions.some(({ spec }) => maySame(approver, spec.approver, catalog))) return false;
  const guarded = catalog.guardedBy(request).map(wireNameOf);
  const inGroups = groupsThatCount({ approver, groups: groups.slice(0, MAX_APPROVER_GROUPS) });
  return (await refusalToApprove(services, request, { guarded, inGroups })) === undefined;
}

function mayApproveOwn(catalog: Services['catalog'], request: ChangeRequest): boolean {
  return catalog.guardedBy(request).every(({ spec }) => spec.approvals?.selfApproval === true);
}

function ofManyGroups({ person }: Services['caller']): string {
  if (person.groups.length <= MAX_APPROVER_GROUPS) return '';
  return ` Decisions record ${MAX_APPROVER_GROUPS} of your ${person.groups.length} groups. Name yours with vexil approve --group.`;
}

/** What permits to change the target, and so to withdraw a request. */
const TO_CHANGE = {
  FeatureFlag: 'UPDATE_FEATURE_ENVIRONMENT',
  Segment: 'UPDATE_SEGMENT',
  Project: 'UPDATE_PROJECT',
  Environment: 'ADMIN',
} as const satisfies Readonly<Record<TargetKind, Permission>>;

/** Withdraws the request. */
export async function withdraw(services: Services, request: ChangeRequest, dryRun: boolean): Promise<void> {
  const { caller, catalog, changeRequests } = services;
  refuseEnded(request);
  if (!isOwn(services, request)) {
    const target = catalog.targetOf(request);
    const where = { project: target && projectOfTarget(target), inSomeEnvironment: true };
    const refusal = await caller.refusal({ permission: TO_CHANGE[target?.kind ?? 'FeatureFlag'], ...where });
    if (refusal !== undefined) throw new Refusal('forbidden', refusal);
  }
  await changeRequests.change(request.metadata, ({ spec }) => ({ ...spec, cancelled: true }), { dryRun });
}

function refuseEnded({ metadata, status }: ChangeRequest): void {
  if (!isFinal(status?.phase)) return;
  throw new Refusal('invalid-operation', `The change request "${metadata.name}" has ended: it is ${status?.phase}.`);
}

/** The request with what it is about, as it is now. */
export function withContext({ catalog }: Pick<Services, 'catalog'>, request: ChangeRequest): RequestWithTarget {
  const target = catalog.targetOf(request);
  return {
    request,
    target,
    environments: catalog.environmentsOfRequest(request),
    present: target && presentIn(target, request),
    decisions: catalog.allDecisionsOn(request),
  };
}
