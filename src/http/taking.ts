/** What an answer warns of: fields that a request takes from others, parts that it leaves out. */
import type { HeldField } from '../kube/held-fields.ts';

export interface Taking {
  /** The caller has asked for it. */
  readonly isForced: boolean;
  note(held: readonly HeldField[]): void;
  /** Parts that cannot be read, which the answer is without. */
  leaveOut(parts: readonly string[]): void;
  /** The value of the header Warning; undefined: nothing was taken or left out. */
  warning(): string | undefined;
}

export const LONGEST_WARNING = 1000;
/** What stands around the names: below what is left for them. */
const LONGEST_NAMES = 800;

/** Of one request, which may write several objects, and try each before. */
export function createTaking(isForced: boolean): Taking {
  const paths = new Set<string>();
  const managers = new Set<string>();
  const missing: string[] = [];
  return {
    isForced,
    note(held) {
      for (const { path, owners } of held) {
        paths.add(path);
        for (const { manager } of owners) managers.add(manager);
      }
    },
    leaveOut(parts) {
      missing.push(...parts);
    },
    warning: () => (paths.size === 0 ? leftOutWarning(missing) : warningOf([...managers], [...paths])),
  };
}

/** As the API server warns kubectl (RFC 7234 §5.5, code 299). */
function warningOf(managers: readonly string[], paths: readonly string[]): string {
  const count = paths.length === 1 ? '1 field' : `${paths.length} fields`;
  const from = listed(managers, LONGEST_NAMES / 4);
  const which = listed(paths, (LONGEST_NAMES * 3) / 4);
  return `299 vexil "took ${count} from ${from}, who may set them back, or stop with a conflict: ${which}"`;
}

/** Undefined: nothing is left out. */
export function leftOutWarning(parts: readonly string[]): string | undefined {
  if (parts.length === 0) return undefined;
  const count = parts.length === 1 ? '1 part' : `${parts.length} parts`;
  return `299 vexil "left out ${count} that cannot be read: ${listed(parts, LONGEST_NAMES)}"`;
}

/** As many as there is room for. */
function listed(names: readonly string[], room: number): string {
  const fitting: string[] = [];
  let length = 0;
  for (const name of names) {
    const spelled = inHeader(name);
    length += spelled.length + ', '.length;
    if (length > room) break;
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
