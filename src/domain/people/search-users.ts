/** Searches users by a part of their name, username or e-mail address. */

import { ACCENTS, folded, normalized } from '../../model/text.ts';
import type { FlagUser } from '../../schema/flag-user.ts';
import { wireNameOf } from '../identity/names.ts';

/** A shorter pattern finds no user (docs/unleash-compatibility.md#user-search). */
export const MIN_CHARACTERS = 2;

/** The maximum number of users that one search returns. */
export const MAX_FOUND_USERS = 100;

/** A user with folded texts, so that they are folded once and not at each search. */
export interface SearchableUser {
  readonly user: FlagUser;
  readonly texts: readonly string[];
}

export function searchableUser(user: FlagUser): SearchableUser {
  const { displayName, email } = user.spec;
  const texts = [displayName, wireNameOf(user), email].flatMap((text) => (text === undefined ? [] : [folded(text)]));
  return { user, texts: [...new Set(texts)] };
}

/** The first MAX_FOUND matches in the given order; none if the trimmed pattern is shorter than MIN_CHARACTERS. */
export function searchUsers(users: readonly SearchableUser[], pattern: string): readonly FlagUser[] {
  const wanted = folded(pattern).trim();
  if (charactersIn(pattern) < MIN_CHARACTERS || wanted === '') return [];
  const found: FlagUser[] = [];
  for (const { user, texts } of users) {
    if (texts.some((text) => text.includes(wanted))) found.push(user);
    if (found.length === MAX_FOUND_USERS) break;
  }
  return found;
}

/** The number of characters; é counts as one, composed or not. */
function charactersIn(pattern: string): number {
  return [...normalized(pattern.trim(), 'NFC').replace(ACCENTS, '')].length;
}
