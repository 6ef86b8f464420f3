/** What a change does to a flag or a segment, in words. */
import type { StateChange } from '../lint/compare-states.ts';

/** A list of more flags says no more. */
const MAX_FLAGS = 5;

/** `quoted` shows a name of others. */
export function effectWords(change: StateChange, quoted: (name: string) => string): string {
  const { effect, fields } = change;
  const what = fields ? `${fields.map(quoted).join(', ')} ${effect}` : effect;
  if (!('segment' in change) || change.flags.length === 0) return what;
  const left = change.flags.length - MAX_FLAGS;
  const names = [...change.flags.slice(0, MAX_FLAGS).map(quoted), ...(left > 0 ? [`${left} more`] : [])];
  return `${what}, used by ${names.join(', ')}`;
}
