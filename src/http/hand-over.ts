/** Which fields of a flag can be handed over to Vexil, and what comes after that. */
import { AppError } from '../errors.ts';
import type { Leaf, LeafOwner } from '../kube/leaves.ts';
import { about, invalid, shown } from './validation.ts';

/** Those that are named, else every switch that somebody protected holds. */
export function leavesToHandOver(leaves: readonly Leaf[], fields: readonly string[] | undefined): readonly Leaf[] {
  const chosen = fields ? named(leaves, fields) : leaves.filter((leaf) => isSwitch(leaf) && isHeld(leaf));
  refuseClientSide(chosen);
  return chosen;
}

function named(leaves: readonly Leaf[], fields: readonly string[]): readonly Leaf[] {
  const byText = new Map(leaves.map((leaf) => [leaf.text, leaf]));
  const findings = fields.flatMap((field, index) => {
    const leaf = byText.get(field);
    const at = ['fields', `${index}`];
    if (!leaf)
      return [
        about('body', at, `names no field of this flag; GET of the same path lists all. You sent ${shown(field)}.`),
      ];
    if (isHeld(leaf)) return [];
    return [
      about(
        'body',
        at,
        `needs no hand-over: no GitOps tool holds it, so change it as it is. You sent ${shown(field)}.`,
      ),
    ];
  });
  if (findings.length > 0) throw invalid(findings.slice(0, MOST_FINDINGS));
  return [...new Set(fields)].flatMap((field) => byText.get(field) ?? []);
}

const MOST_FINDINGS = 20;

/** Its source takes away what it does not name any more, whoever else holds it. */
function refuseClientSide(leaves: readonly Leaf[]): void {
  const details = leaves.flatMap(({ text, owners }) => {
    const owner = owners.find(isClientSide);
    if (!owner) return [];
    const message = `${text} is held by "${owner.manager}", which applies on the client's side: that takes away what is dropped from its source, whoever else holds it. Let it use server-side apply first, then hand over.`;
    return [{ path: text, message }];
  });
  const [first] = details;
  if (!first) return;
  const more = details.length > 1 ? ` The same holds for ${details.length - 1} more.` : '';
  throw new AppError('operation-denied', `${first.message}${more}`, { details: details.slice(0, MOST_FINDINGS) });
}

export function nextStepAfter(leaves: readonly Leaf[]): string {
  if (leaves.length === 0) return 'None: no GitOps tool holds a switch of this flag, so it can be changed as it is.';
  const owners = leaves.flatMap((leaf) => leaf.owners.filter(({ isProtected }) => isProtected));
  const managers = [...new Set(owners.map(({ manager }) => `"${manager}"`))].join(' and ');
  const what = leaves.length === 1 ? 'the field' : `the ${leaves.length} fields`;
  return `Drop ${what} from what ${managers} applies: the value stays, as Vexil holds it, too. Until that was applied, writes are refused. Flux skips an apply that changes no value, so change something else of this flag there as well.`;
}

/** Whether somebody protected holds it. */
function isHeld({ owners }: Leaf): boolean {
  return owners.some(({ isProtected }) => isProtected);
}

function isClientSide({ isProtected, operation }: LeafOwner): boolean {
  return isProtected && operation === 'Update';
}

function isSwitch({ path: [first, , last, ...deeper] }: Leaf): boolean {
  return first === 'f:environments' && last === 'f:enabled' && deeper.length === 0;
}
