/** The errors for a name that no flag has, or several have. */
import { editDistance } from '../../src/model/edit-distance.ts';
import { Failure } from '../failure.ts';
import { EXIT } from '../terminal.ts';

const MAX_NAMED = 10;

/** `where` completes "there is no flag … in". */
export function unknownFlag(name: string, known: readonly string[], where: string): Failure {
  const distances = [...new Set(known)].map((one) => [editDistance(name, one), one] as const);
  const [nearest] = distances.toSorted(([a], [b]) => a - b);
  const isNear = nearest !== undefined && nearest[0] <= Math.max(2, Math.floor(name.length / 3));
  const hint = isNear ? ` Did you mean "${nearest[1]}"?` : '';
  return new Failure(`there is no flag "${name}" in ${where}.${hint}`, EXIT.noInput);
}

/** `places` distinguishes the flags; `how` names the options that select one. */
export function severalFlags(name: string, places: readonly string[], how: string): Failure {
  const more = places.length > MAX_NAMED ? `, and ${places.length - MAX_NAMED} more` : '';
  const named = `${places.slice(0, MAX_NAMED).join(', ')}${more}`;
  return new Failure(`there are ${places.length} flags "${name}": ${named}. ${how}`, EXIT.usage);
}
