/** The sentence of messages about a freeze that is in force. */

import type { FrozenEnvironment } from '../../errors.ts';
import { timestampOf } from '../../model/clock.ts';

/** The sentence has no article and no full stop. */
export function freezeSentence({ environment, name, until, reason = '' }: FrozenEnvironment): string {
  const why = reason === '' ? '' : ` (${reason})`;
  return `environment "${environment}" is frozen until ${timestampOf(until)} by the freeze "${name}"${why}`;
}
