/** The drafts of times, in the zone of the viewer. */

export interface TimeDraft {
  /** The time as the API returns it; undefined if there is none. */
  readonly stored: string | undefined;
  /** The time as the form field has it, without a zone; empty if there is none. */
  readonly text: string;
  /** Whether the user has removed a part of the time. */
  readonly isIncomplete: boolean;
}

export function draftOfTime(stored: string | undefined): TimeDraft {
  return { stored, text: stored === undefined ? '' : localText(new Date(stored)), isIncomplete: false };
}

/** Returns an unchanged time as it was written. A time that the zone skips becomes the time after the gap. */
export function timeOf({ stored, text }: TimeDraft): string | undefined {
  if (text === '') return undefined;
  if (stored !== undefined && text === localText(new Date(stored))) return stored;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return `${localText(date).padEnd(FULL_LENGTH, ':00')}${offsetOf(date)}`;
}

const FULL_LENGTH = '2026-12-01T08:00:00'.length;

/** Leaves out the seconds if they are 0, because form fields show seconds only if they count. */
function localText(date: Date): string {
  const day = [`${date.getFullYear()}`.padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())].join('-');
  const clock = [two(date.getHours()), two(date.getMinutes())];
  return `${day}T${[...clock, ...(date.getSeconds() === 0 ? [] : [two(date.getSeconds())])].join(':')}`;
}

/** Returns the offset of the zone at that time, such as +01:00. */
function offsetOf(date: Date): string {
  const minutes = -Math.round(date.getTimezoneOffset());
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function two(count: number): string {
  return `${count}`.padStart(2, '0');
}

/** Returns why the times cannot be sent; undefined if they can. */
export function timeProblem(...drafts: readonly TimeDraft[]): string | undefined {
  return drafts.some(({ isIncomplete }) => isIncomplete) ? 'A time is not complete.' : undefined;
}
