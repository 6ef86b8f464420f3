/** The header Warning of an answer: fields that a request took from other managers, parts that it leaves out (RFC 7234 §5.5, code 299). */
import type { ForceContext } from '../../access/force-context.ts';

export const MAX_WARNING_LENGTH = 1000;
/** What stands around the names: below what is left for them. */
const MAX_NAMES_LENGTH = 800;

/** Undefined: nothing was taken or left out. */
export function warningOf({ taken, leftOut }: Pick<ForceContext, 'taken' | 'leftOut'>): string | undefined {
  return taken.paths.size === 0 ? leftOutWarning(leftOut) : takenWarning([...taken.managers], [...taken.paths]);
}

/** As the API server warns kubectl. */
function takenWarning(managers: readonly string[], paths: readonly string[]): string {
  const count = paths.length === 1 ? '1 field' : `${paths.length} fields`;
  const from = listed(managers, MAX_NAMES_LENGTH / 4);
  const which = listed(paths, (MAX_NAMES_LENGTH * 3) / 4);
  return `299 vexil "took ${count} from ${from}, who may set them back, or stop with a conflict: ${which}"`;
}

/** Undefined: nothing is left out. */
export function leftOutWarning(parts: readonly string[]): string | undefined {
  if (parts.length === 0) return undefined;
  const count = parts.length === 1 ? '1 part' : `${parts.length} parts`;
  return `299 vexil "left out ${count} that cannot be read: ${listed(parts, MAX_NAMES_LENGTH)}"`;
}

/** As many as fit. */
function listed(names: readonly string[], maxLength: number): string {
  const fitting: string[] = [];
  let length = 0;
  for (const name of names) {
    const spelled = inHeader(name);
    length += spelled.length + ', '.length;
    if (length > maxLength) break;
    fitting.push(spelled);
  }
  const left = names.length - fitting.length;
  if (left === 0) return fitting.join(', ');
  return fitting.length === 0 ? `${left} with long names` : `${fitting.join(', ')} and ${left} more`;
}

/** A header is ASCII, and a quote would end the text: names may be anything. */
function inHeader(name: string): string {
  return name.replace(/[^\x20-\x7e]|["\\%]/gu, (sign) => encodeURIComponent(sign.toWellFormed()));
}
