/** Reads times of options. */
import { pointInTime } from '../src/schema/fields/shapes.ts';
import { Failure } from './failure.ts';
import { EXIT } from './terminal.ts';

const time = pointInTime('');

/**
 * Returns ms since 1970; `text` is the value of --at, undefined means now. Throws a Failure for a text that is no time
 * with a zone.
 */
export function timeOf(text: string | undefined, now: number): number {
  if (text === undefined) return now;
  return Date.parse(pastTimeOf('--at', text));
}

/** Returns the text, which the API takes as it is. Throws a Failure for a text that is no time with a zone. */
export function pastTimeOf(option: string, text: string): string {
  const { error } = time.safeParse(text);
  if (error) throw new Failure(`${option} ${error.issues[0]?.message}: it is "${text}"`, EXIT.usage);
  return text;
}
