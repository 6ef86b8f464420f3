/** Times as forms have them: in the zone of the viewer. */

export interface TimeDraft {
  /** As the API has it; undefined: none. */
  readonly stored: string | undefined;
  /** As the form field has it, without a zone; empty: no time. */
  readonly text: string;
  /** The user has removed a part of it. */
  readonly isIncomplete: boolean;
}

export function draftOfTime(stored: string | undefined): TimeDraft {
  return { stored, text: stored === undefined ? '' : localText(new Date(stored)), isIncomplete: false };
}

/** What is not changed stays as it was written. A time that the zone leaves out becomes the one after it. */
export function timeOf({ stored, text }: TimeDraft): string | undefined {
  if (text === '') return undefined;
  if (stored !== undefined && text === localText(new Date(stored))) return stored;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return `${localText(date).padEnd(FULL_LENGTH, ':00')}${offsetOf(date)}`;
}

const FULL_LENGTH = '2026-12-01T08:00:00'.length;

/** Without the seconds, if there are none: forms show them only where they count. */
function localText(date: Date): string {
  const day = [`${date.getFullYear()}`.padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())].join('-');
  const clock = [two(date.getHours()), two(date.getMinutes())];
  return `${day}T${[...clock, ...(date.getSeconds() === 0 ? [] : [two(date.getSeconds())])].join(':')}`;
}

/** Of the zone at that time, such as +01:00. */
function offsetOf(date: Date): string {
  const minutes = -Math.round(date.getTimezoneOffset());
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function two(count: number): string {
  return `${count}`.padStart(2, '0');
}

/** What keeps the times from being sent; undefined: nothing. */
export function timeProblem(...drafts: readonly TimeDraft[]): string | undefined {
  return drafts.some(({ isIncomplete }) => isIncomplete) ? 'A time is not complete.' : undefined;
}
