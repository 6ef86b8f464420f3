/** Which users a search means: whose name, username or e-mail address contains what was asked for. */
import type { FlagUser } from '../schema/flag-user.ts';
import { wireNameOf } from './names.ts';

/** Specification, Limits: a shorter pattern finds nobody. */
export const LEAST_CHARACTERS = 2;

/** How many users one search answers. */
export const MOST_FOUND = 100;

/** Has neither accents nor two forms of a letter, and is most of what there is. */
const ASCII = /^[\x20-\x7e]*$/;

/** Marks that belong to no script of their own. The vowel signs of Hindi or Thai do, and tell names apart. */
const ACCENTS = /[\p{M}&&\p{Script=Inherited}]/gv;

/** Letters that Unicode takes for letters of their own, and that people type without stroke or ligature. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ Ł: 'L', Ø: 'O', Đ: 'D', Ð: 'D', Ħ: 'H', Ŧ: 'T' },
  ...{ Æ: 'AE', Œ: 'OE', Þ: 'TH' },
};
const STROKES = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

/**
 * The same for texts that differ in case, accents, width or composition only: José and JOSE, straße and STRASSE.
 * Parts of a text fold to parts of what the whole folds to, so that a part is found in its whole.
 */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toUpperCase();
  return inOneCase(text.normalize('NFKD'))
    .replace(ACCENTS, '')
    .replace(STROKES, (letter) => plainLetters[letter] ?? letter);
}

/** Upper case, as lower case has two forms of sigma. By way of lower case, as only there ẞ becomes ß, which becomes SS. */
function inOneCase(text: string): string {
  return text.toLowerCase().toUpperCase();
}

/** A user with its texts folded, so that a search only compares. */
export interface SearchableUser {
  readonly user: FlagUser;
  readonly texts: readonly string[];
}

export function searchableUser(user: FlagUser): SearchableUser {
  const { displayName, email } = user.spec;
  const texts = [displayName, wireNameOf(user), email].flatMap((text) => (text === undefined ? [] : [folded(text)]));
  return { user, texts: [...new Set(texts)] };
}

/** The first hundred, in the order given. Nobody where fewer than two characters are left without blanks at the ends. */
export function searchUsers(users: readonly SearchableUser[], pattern: string): readonly FlagUser[] {
  const wanted = folded(pattern).trim();
  if (charactersIn(pattern) < LEAST_CHARACTERS || wanted === '') return [];
  const found: FlagUser[] = [];
  for (const { user, texts } of users) {
    if (texts.some((text) => text.includes(wanted))) found.push(user);
    if (found.length === MOST_FOUND) break;
  }
  return found;
}

/** As people count them: é is one, composed or not. */
function charactersIn(pattern: string): number {
  return [...pattern.trim().normalize('NFC').replace(ACCENTS, '')].length;
}
