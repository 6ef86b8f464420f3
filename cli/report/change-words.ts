/** Describes the effect of a change on a flag or a segment. */
import type { StateChange } from '../lint/compare-states.ts';

/** Longer lists do not help. */
const MAX_FLAGS = 5;

/** `quoted` formats names, which other people choose. */
export function effectWords(change: StateChange, quoted: (name: string) => string): string {
  const { effect, fields } = change;
  const what = fields ? `${fields.map(quoted).join(', ')} ${effect}` : effect;
  if (!('segment' in change) || change.flags.length === 0) return what;
  const left = change.flags.length - MAX_FLAGS;
  const names = [...change.flags.slice(0, MAX_FLAGS).map(quoted), ...(left > 0 ? [`${left} more`] : [])];
  return `${what}, used by ${names.join(', ')}`;
}
