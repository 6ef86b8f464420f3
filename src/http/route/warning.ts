/**
 * The header Warning of an answer: fields taken from other managers, parts left out, flags removed in use (RFC 7234
 * §5.5, code 299).
 */
import type { ForceContext } from '../../access/authorization/force-context.ts';
import type { AnswerNotes } from '../../actions/answer-notes.ts';
import type { AskedFor } from '../../domain/usage/removal.ts';

export const MAX_WARNING_LENGTH = 2000;
/** Leaves room within the limit for the text around the names. */
const MAX_NAMES_LENGTH = 800;

/** Undefined if nothing was taken, left out, written in another way, doubted, or removed while it was requested. */
export function warningOf(
  { taken }: Pick<ForceContext, 'taken'>,
  { leftOut, asked, repaired, doubted }: AnswerNotes,
): string | undefined {
  const ofFields = taken.paths.size === 0 ? leftOutText(leftOut) : takenText([...taken.managers], [...taken.paths]);
  return headerOf([
    ofFields,
    askedText(asked),
    partsText(repaired, (count) => `wrote ${count} in another way, which a dry run explains`),
    partsText(doubted, (count) => `${count} may mean something else than in Unleash, which a dry run explains`),
  ]);
}

function partsText(parts: readonly string[], words: (count: string) => string): string | undefined {
  if (parts.length === 0) return undefined;
  return `${words(parts.length === 1 ? '1 part' : `${parts.length} parts`)}: ${listed(parts, MAX_NAMES_LENGTH)}`;
}

function askedText(asked: readonly AskedFor[]): string | undefined {
  if (asked.length === 0) return undefined;
  const names = [...new Set(asked.flatMap(({ applications }) => applications ?? []))];
  const flags = listed(
    asked.map(({ name }) => name),
    MAX_NAMES_LENGTH / 2,
  );
  const by = names.length > 0 ? listed(names, MAX_NAMES_LENGTH / 2) : 'applications that are not known at the moment';
  return `SDKs asked for it in production in the last 24 hours: ${flags}, by ${by}`;
}

/** Has the form of the warning that the API server sends to kubectl. */
function takenText(managers: readonly string[], paths: readonly string[]): string {
  const [count, them] = paths.length === 1 ? ['1 field', 'it'] : [`${paths.length} fields`, 'them'];
  const from = listed(managers, MAX_NAMES_LENGTH / 4);
  const which = listed(paths, (MAX_NAMES_LENGTH * 3) / 4);
  return `took ${count} from ${from}, which may revert ${them} or fail with a conflict: ${which}`;
}

/** Undefined if nothing is left out. */
export function leftOutWarning(parts: readonly string[]): string | undefined {
  return headerOf([leftOutText(parts)]);
}

function headerOf(texts: readonly (string | undefined)[]): string | undefined {
  const given = texts.filter((text) => text !== undefined);
  return given.length === 0 ? undefined : `299 vexil "${given.join('; ')}"`;
}

function leftOutText(parts: readonly string[]): string | undefined {
  return partsText(parts, (count) => `left out ${count} that cannot be read`);
}

/** Lists as many names as fit. */
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

/** A header is ASCII, and a quote would end the text: names may contain any character. */
function inHeader(name: string): string {
  return name.replace(/[^\x20-\x7e]|["\\%]/gu, (sign) => encodeURIComponent(sign.toWellFormed()));
}
