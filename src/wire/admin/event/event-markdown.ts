/** Escapes names for Markdown. */
import { cut } from '../../../model/text.ts';

/** Long enough for a name, short enough for a line. */
const MAX_LENGTH = 200;

/** Line breaks, invisible characters, and characters that change the direction of text. */
const INVISIBLE = /[\s\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Any ASCII punctuation may be escaped (CommonMark §2.4); these characters have a meaning within a line, or would turn
 * an address into a link.
 */
const MEANINGFUL = /[\\`*_~[\]<>&|]|:(?=\/\/)|(?<=\bwww)\./gi;

function plain(text: string): string {
  return shortened(text.replace(INVISIBLE, ' ').trim()).replace(MEANINGFUL, '\\$&');
}

export function bold(text: string): string {
  return `**${plain(text) || '?'}**`;
}

/** Bold text, as a link if it has a target. */
export function boldLink(text: string, target: string | undefined): string {
  return target === undefined ? bold(text) : `**[${plain(text)}](${target})**`;
}

function shortened(text: string): string {
  return text.length > MAX_LENGTH ? `${cut(text, MAX_LENGTH).trimEnd()}…` : text;
}
