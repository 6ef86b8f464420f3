/** The fields of a flag that can be handed over to Vexil, and the next step of the caller. */
import { Refusal } from '../errors.ts';
import type { LiveField } from '../kube/write/claim-fields.ts';
import type { FieldWithOwners, ProtectableOwner } from '../model/field-owner.ts';
import { invalid, quoteValue } from '../model/invalid-input.ts';
import { SPEC_MANAGER } from '../schema/stamp.ts';

/** The named fields. If no fields are named, every switch that is removed when its source drops it. */
export function fieldsToHandOver(
  fieldsWithOwners: readonly LiveField[],
  fields: readonly string[] | undefined,
): readonly LiveField[] {
  const chosen = fields
    ? named(fieldsWithOwners, fields)
    : fieldsWithOwners.filter((fieldWithOwners) => isSwitch(fieldWithOwners) && isFromSource(fieldWithOwners));
  refuseClientSide(chosen);
  return chosen;
}

function named(fieldsWithOwners: readonly LiveField[], fields: readonly string[]): readonly LiveField[] {
  const byText = new Map(fieldsWithOwners.map((fieldWithOwners) => [fieldWithOwners.text, fieldWithOwners]));
  const findings = fields.flatMap((field, index) => {
    const fieldWithOwners = byText.get(field);
    if (fieldWithOwners && isFromSource(fieldWithOwners)) return [];
    const complaint = fieldWithOwners
      ? 'needs no hand-over: no tool applies it, so it can be changed directly.'
      : 'names no field of this flag; GET of the same path lists them.';
    return [{ part: 'body' as const, keys: ['fields', `${index}`], complaint, value: quoteValue(field) }];
  });
  if (findings.length > 0) throw invalid(findings.slice(0, MAX_FINDINGS));
  return [...new Set(fields)].flatMap((field) => byText.get(field) ?? []);
}

const MAX_FINDINGS = 20;

/** Refuses a source that removes a field that it no longer names, even if other managers own it. */
function refuseClientSide(fieldsWithOwners: readonly LiveField[]): void {
  const details = fieldsWithOwners.flatMap((fieldWithOwners) => {
    const manager = clientSideManagerOf(fieldWithOwners);
    if (manager === undefined) return [];
    const { text } = fieldWithOwners;
    const message = `${text} is owned by "${manager}", which uses client-side apply: that removes fields that are dropped from its source, even if other managers own them. Let it use server-side apply first, then hand over.`;
    return [{ path: text, message }];
  });
  const [first] = details;
  if (!first) return;
  const more = details.length > 1 ? ` The same holds for ${details.length - 1} more.` : '';
  throw new Refusal('operation-denied', `${first.message}${more}`, { details: details.slice(0, MAX_FINDINGS) });
}

export function nextStepAfter(fieldsWithOwners: readonly FieldWithOwners[]): string {
  if (fieldsWithOwners.length === 0)
    return 'None: no tool applies a switch of this flag, so it can be changed directly.';
  const owners = fieldsWithOwners.flatMap((fieldWithOwners) => fieldWithOwners.owners.filter(isSource));
  const managers = [...new Set(owners.map(({ manager }) => `"${manager}"`))].join(' and ');
  const fields = fieldsWithOwners.length === 1 ? 'the field' : `the ${fieldsWithOwners.length} fields`;
  const drop = `Remove ${fields} from the source that ${managers} applies: the value stays, as Vexil owns it too.`;
  if (!owners.some(({ isProtected }) => isProtected)) return drop;
  return `${drop} Until that is applied, writes are refused. Flux skips an apply that changes no value, so change another value of this flag there as well.`;
}

/** Whether the field is removed when its source drops it. */
function isFromSource(fieldWithOwners: LiveField): boolean {
  return fieldWithOwners.isLastApplied || fieldWithOwners.owners.some(isSource);
}

/** Managers that use server-side apply, and protected managers with any operation. */
function isSource({ manager, operation, isProtected }: ProtectableOwner): boolean {
  return isProtected || isApplier({ manager, operation });
}

function isApplier({ manager, operation }: Pick<ProtectableOwner, 'manager' | 'operation'>): boolean {
  return operation === 'Apply' && manager !== SPEC_MANAGER;
}

/**
 * The annotation of kubectl remains after a change to server-side apply, which keeps it up to date. It does not count
 * for fields that a manager applies with server-side apply.
 */
function clientSideManagerOf({ owners, isLastApplied }: LiveField): string | undefined {
  const owner = owners.find(({ isProtected, operation }) => isProtected && operation === 'Update');
  if (owner) return owner.manager;
  return isLastApplied && !owners.some(isApplier) ? 'kubectl apply' : undefined;
}

function isSwitch({ path: [first, , last, ...deeper] }: FieldWithOwners): boolean {
  return first === 'f:environments' && last === 'f:enabled' && deeper.length === 0;
}
