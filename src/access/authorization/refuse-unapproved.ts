/** Refuses changes in environments that demand approvals, unless the change is granted or the caller needs none. */
import type { Catalog } from '../../catalog/catalog.ts';
import { decisiveOf } from '../../domain/approval/decisive.ts';
import { grantForFlag } from '../../domain/approval/grants.ts';
import { isExempt } from '../../domain/approval/people.ts';
import { askingFor, type TargetKind } from '../../domain/approval/target.ts';
import type { Values } from '../../domain/approval/values.ts';
import { type SpecWrite, touchedByFlag } from '../../domain/flag/edit/environments-touched.ts';
import { gainSentence } from '../../domain/flag/gaining-children.ts';
import { flagPage } from '../../domain/identity/console-pages.ts';
import { DEFAULT_PROJECT, wireNameOf } from '../../domain/identity/names.ts';
import { type ChangeToApprove, Refusal } from '../../errors.ts';
import type { AnyObject, Ref } from '../../model/object.ts';
import { type Environment, environment as environmentKind } from '../../schema/environment.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import type { AccessRequest, Caller } from '../caller.ts';
import type { AskedWrite } from './asked-write.ts';
import { type ChangedCatalog, changedEnvironments } from './changed-environments.ts';

/**
 * The verb that permits changes without approval. Name: the wire name of the environment; namespace: that of the
 * object.
 */
const BYPASS_APPROVAL = 'bypass-approval';

interface NamespaceOfProject {
  readonly namespace: string;
  readonly project?: string | undefined;
}

function toBypass(environment: string, { namespace, project }: NamespaceOfProject): AccessRequest {
  const access = { verb: BYPASS_APPROVAL, resource: environmentKind.plural, namespace, name: environment };
  return { permission: 'SKIP_CHANGE_REQUEST', project, environment, accesses: [access] };
}

/** Whether the caller may change the environment without approval. A token that belongs to no user may not. */
async function needsNone(caller: Caller, environment: Environment, place: NamespaceOfProject): Promise<boolean> {
  const { kind, name, groups } = caller.person;
  if (kind === 'Token') return false;
  if (kind === 'User' && isExempt({ username: name, groups }, environment.spec.approvals?.exempt)) return true;
  return (await caller.refusal(toBypass(wireNameOf(environment), place))) === undefined;
}

type Guarding = Pick<Catalog, 'environment' | 'environments'>;

/** The environments of these names in which this caller needs approval. */
async function guardedFor(
  catalog: Guarding,
  caller: Caller,
  { names, ...place }: NamespaceOfProject & { readonly names: Iterable<string> },
): Promise<readonly Environment[]> {
  const demanding = [...names].flatMap((name) => catalog.environment(name) ?? []).filter(({ spec }) => spec.approvals);
  const free = await Promise.all(demanding.map((environment) => needsNone(caller, environment, place)));
  return demanding.filter((_, index) => !free[index]);
}

/**
 * Throws `approval-required`. The policy in config/admission does not ask the operator: it knows no callers of the API.
 */
export function refusingUnapproved(catalog: ChangedCatalog & Pick<Catalog, 'flagAt'>, publicUrl: string | undefined) {
  return async (caller: Caller, write: SpecWrite<FlagSpec>, ref: Ref): Promise<void> => {
    if (!catalog.environments().some(({ spec }) => spec.approvals)) return;
    const flag = write.before && catalog.flagAt(ref);
    const { names, gains } = changedEnvironments(catalog, write, ref);
    const ungranted = [...names].filter((name) => !flag || !grantForFlag(flag, write.after, name));
    const project = (write.after ?? write.before)?.project ?? DEFAULT_PROJECT;
    const guarded = await guardedFor(catalog, caller, { names: ungranted, namespace: ref.namespace, project });
    if (guarded.length === 0) return;
    const change = changeOf({ write, ref, flag, guarded });
    const details = guarded.map((environment) => {
      const name = wireNameOf(environment);
      const gaining = gains.get(name);
      const message = gaining ? `${sentence(environment)} ${gainSentence(gaining)}` : sentence(environment);
      return { path: `spec.environments.${name}`, message };
    });
    const page =
      flag && publicUrl !== undefined ? publicUrl + flagPage({ project, flag: wireNameOf(flag) }) : undefined;
    const message = [...details.map((detail) => detail.message), advice(change, page)].join(' ');
    throw new Refusal('approval-required', message, { details, toApprove: change });
  };
}

interface UnapprovedWrite {
  readonly write: SpecWrite<FlagSpec>;
  readonly ref: Ref;
  readonly flag: FeatureFlag | undefined;
  readonly guarded: readonly Environment[];
}

/** The request asks for the whole change, also in environments that need no approval. */
function changeOf({ write, ref, flag, guarded }: UnapprovedWrite): ChangeToApprove {
  const names = [...new Set([...touchedByFlag(write), ...guarded.map(wireNameOf)])];
  const { before, after } = write;
  // A deletion is asked for as a flag that says nothing of these environments.
  const wanted = decisiveOf(after ?? { ...before, environments: {} }, names);
  return toApprove({ kind: 'FeatureFlag', ref, object: flag, wanted, guarded });
}

interface ToApprove {
  readonly kind: TargetKind;
  readonly ref: Ref;
  readonly object: AnyObject | undefined;
  readonly wanted: Values;
  readonly guarded: readonly Environment[];
}

function toApprove({ kind, ref, object, wanted, guarded }: ToApprove): ChangeToApprove {
  const { namespace, name } = ref;
  return {
    namespace,
    target: { kind, name, ...(object && { uid: object.metadata.uid, generation: object.metadata.generation }) },
    wanted: askingFor(wanted),
    required: Object.fromEntries(guarded.map((one) => [wireNameOf(one), requiredIn(one)])),
  };
}

function requiredIn({ spec }: Environment): number {
  return spec.approvals?.required ?? 1;
}

function sentence(environment: Environment): string {
  const required = requiredIn(environment);
  const needed = required === 1 ? 'the approval of another person' : `the approvals of ${required} people`;
  return `A change in the environment "${wireNameOf(environment)}" needs ${needed}.`;
}

const ASK = 'Repeat the request with ?changeRequest=true to ask for it';
const COMMAND = 'run "vexil request -f FILE"';

/** `page`: of the console. */
function waysToAsk(page?: string): string {
  return page === undefined
    ? `${ASK}, or ${COMMAND}.`
    : `${ASK}, ${COMMAND}, or make the change on the page of the flag (${page}).`;
}

function advice({ target }: ChangeToApprove, page: string | undefined): string {
  return target.uid !== undefined
    ? `${waysToAsk(page)} Flags can always be switched off.`
    : 'Create the flag without these environments first, and then ask for the change.';
}

interface ApprovalRules<S> {
  readonly kind: TargetKind;
  /** The environments that the write is about. */
  readonly touched: (write: SpecWrite<S>, ref: Ref) => readonly string[];
  readonly asked: (after: S, ref: Ref) => AskedWrite | undefined;
}

/** As `refusingUnapproved`, for an object whose requests are about all its values. */
export function refusingUnapprovedOf<S>(catalog: Guarding, { kind, touched, asked }: ApprovalRules<S>) {
  const refuseOther = refusingUnapprovedOthers(catalog, touched);
  return async (caller: Caller, write: SpecWrite<S>, ref: Ref): Promise<void> => {
    if (!catalog.environments().some(({ spec }) => spec.approvals)) return;
    // No request asks for a new object, or for a deletion.
    const change = write.before && write.after && asked(write.after, ref);
    if (!change) return refuseOther(caller, write, ref);
    const { object, wanted, isGranted } = change;
    const ungranted = touched(write, ref).filter((name) => !isGranted(name));
    const guarded = await guardedFor(catalog, caller, { names: ungranted, namespace: ref.namespace });
    if (guarded.length === 0) return;
    const details = guarded.map((one) => ({ message: sentence(one) }));
    const message = [...details.map((detail) => detail.message), waysToAsk()].join(' ');
    const asking = toApprove({ kind, ref, object, wanted, guarded });
    throw new Refusal('approval-required', message, { details, toApprove: asking });
  };
}

/** As `refusingUnapproved`, for other objects that decide what is in effect. No request can ask for these changes. */
export function refusingUnapprovedOthers<S>(
  catalog: Guarding,
  touched: (write: SpecWrite<S>, ref: Ref) => readonly string[],
) {
  return async (caller: Caller, write: SpecWrite<S>, ref: Ref): Promise<void> => {
    if (!catalog.environments().some(({ spec }) => spec.approvals)) return;
    const guarded = await guardedFor(catalog, caller, { names: touched(write, ref), namespace: ref.namespace });
    if (guarded.length === 0) return;
    const names = guarded.map((one) => `"${wireNameOf(one)}"`).join(', ');
    const message = `This may change what is in effect in ${names}, where changes need approval, and no change request can ask for it. It needs the permission SKIP_CHANGE_REQUEST, or the verb ${BYPASS_APPROVAL} in Kubernetes.`;
    throw new Refusal('approval-required', message);
  };
}
