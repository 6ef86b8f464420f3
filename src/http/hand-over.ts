/** Which fields of a flag can be handed over to Vexil, and what comes after that. */
import { AppError } from '../errors.ts';
import type { LiveLeaf } from '../kube/co-own.ts';
import type { Leaf, LeafOwner } from '../kube/leaves.ts';
import { SPEC_MANAGER } from '../schema/stamp.ts';
import { about, invalid, shown } from './validation.ts';

/** Those that are named, else every switch that goes when its source drops it. */
export function leavesToHandOver(
  leaves: readonly LiveLeaf[],
  fields: readonly string[] | undefined,
): readonly LiveLeaf[] {
  const chosen = fields ? named(leaves, fields) : leaves.filter((leaf) => isSwitch(leaf) && isFromSource(leaf));
  refuseClientSide(chosen);
  return chosen;
}

function named(leaves: readonly LiveLeaf[], fields: readonly string[]): readonly LiveLeaf[] {
  const byText = new Map(leaves.map((leaf) => [leaf.text, leaf]));
  const findings = fields.flatMap((field, index) => {
    const leaf = byText.get(field);
    const at = ['fields', `${index}`];
    if (!leaf)
      return [
        about('body', at, `names no field of this flag; GET of the same path lists all. You sent ${shown(field)}.`),
      ];
    if (isFromSource(leaf)) return [];
    return [
      about('body', at, `needs no hand-over: no tool applies it, so change it as it is. You sent ${shown(field)}.`),
    ];
  });
  if (findings.length > 0) throw invalid(findings.slice(0, MOST_FINDINGS));
  return [...new Set(fields)].flatMap((field) => byText.get(field) ?? []);
}

const MOST_FINDINGS = 20;

/** Such a source removes a field that it no longer names, even if other managers own it. */
function refuseClientSide(leaves: readonly LiveLeaf[]): void {
  const details = leaves.flatMap((leaf) => {
    const manager = clientSideManagerOf(leaf);
    if (manager === undefined) return [];
    const { text } = leaf;
    const message = `${text} is held by "${manager}", which applies on the client's side: that takes away what is dropped from its source, whoever else holds it. Let it use server-side apply first, then hand over.`;
    return [{ path: text, message }];
  });
  const [first] = details;
  if (!first) return;
  const more = details.length > 1 ? ` The same holds for ${details.length - 1} more.` : '';
  throw new AppError('operation-denied', `${first.message}${more}`, { details: details.slice(0, MOST_FINDINGS) });
}

export function nextStepAfter(leaves: readonly Leaf[]): string {
  if (leaves.length === 0) return 'None: no tool applies a switch of this flag, so it can be changed as it is.';
  const owners = leaves.flatMap((leaf) => leaf.owners.filter(isSource));
  const managers = [...new Set(owners.map(({ manager }) => `"${manager}"`))].join(' and ');
  const what = leaves.length === 1 ? 'the field' : `the ${leaves.length} fields`;
  const drop = `Drop ${what} from what ${managers} applies: the value stays, as Vexil holds it, too.`;
  if (!owners.some(({ isProtected }) => isProtected)) return drop;
  return `${drop} Until that was applied, writes are refused. Flux skips an apply that changes no value, so change something else of this flag there as well.`;
}

/** Whether it goes when somebody drops it from what they apply. */
function isFromSource(leaf: LiveLeaf): boolean {
  return leaf.isLastApplied || leaf.owners.some(isSource);
}

/** Any manager that applies, and those that are protected however they write. */
function isSource({ manager, operation, isProtected }: LeafOwner): boolean {
  return isProtected || isApplier({ manager, operation });
}

function isApplier({ manager, operation }: Pick<LeafOwner, 'manager' | 'operation'>): boolean {
  return operation === 'Apply' && manager !== SPEC_MANAGER;
}

/**
 * The annotation of kubectl outlives a change to server-side apply, which keeps it up to date: of a field that somebody
 * applies on the server's side it says nothing.
 */
function clientSideManagerOf({ owners, isLastApplied }: LiveLeaf): string | undefined {
  const owner = owners.find(({ isProtected, operation }) => isProtected && operation === 'Update');
  if (owner) return owner.manager;
  return isLastApplied && !owners.some(isApplier) ? 'kubectl apply' : undefined;
}

function isSwitch({ path: [first, , last, ...deeper] }: Leaf): boolean {
  return first === 'f:environments' && last === 'f:enabled' && deeper.length === 0;
}
