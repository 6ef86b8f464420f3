/** Which texts name a person, and the same texts with a pseudonym in place of the name. */
import { hash } from 'node:crypto';
import type { Json, JsonObject } from '../../model/json.ts';
import { normalized } from '../../model/text.ts';

/** What a person is called in the history. */
export interface PersonNames {
  /** Names and addresses: of the FlagUser, in Kubernetes, of earlier versions of the FlagUser. */
  readonly words: readonly string[];
  /** The integer ids of its FlagUsers. */
  readonly ids: readonly number[];
}

export interface Forgetter {
  readonly pseudonym: string;
  /** All texts that name the person, without regard to case. */
  readonly words: readonly string[];
  /** Whether the text names the person. */
  names(text: string): boolean;
  isId(id: unknown): boolean;
  text(text: string): string;
  /** The value with the pseudonym in its texts; the same value if it does not name the person. */
  json<T extends Json>(value: T): T;
}

/** Names of everything that is no person: authors that Vexil itself writes. */
const NO_PERSONS: readonly string[] = ['unknown', 'unleash_system_user', 'bootstrap-token'];

/** Why a name cannot be forgotten; undefined: it can. */
export function refusalToForget(name: string): string | undefined {
  if (name.trim() === '') return 'it is empty: give the username, the e-mail address or the Kubernetes user';
  if (name.startsWith('system:')) return 'names that begin with system: belong to Kubernetes, not to a person';
  if (NO_PERSONS.includes(name)) return 'Vexil writes this name itself for authors that are no person';
  return undefined;
}

/** Members that name a thing or say what it is: a flag keeps its name, even if that is the name of a person. */
const NAMES_OF_THINGS: ReadonlySet<string> = new Set([
  ...['name', 'project', 'environment', 'environments', 'feature', 'featureName', 'type', 'kind'],
  ...['roleName', 'rootRole', 'strategyName', 'contextName', 'permissions', 'segment'],
]);

/** The members that only a person has: the `name` beside them is its name, and the `id` its id. So with these kinds. */
const OF_PERSONS: readonly string[] = ['username', 'email', 'displayName'];
const KINDS_OF_PERSONS: readonly unknown[] = ['FlagUser', 'User'];

/** The members of a project by username, and abridged differences by JSON Pointer. */
const KEYED_BY_PERSONS: ReadonlyMap<string, (key: string) => boolean> = new Map<string, (key: string) => boolean>([
  ['members', () => true],
  ['differences', (pointer) => /\/members\//.test(pointer)],
]);

/** Names are in one word with these characters: `al` is not in `also`, `al-2` or `al@example.com`. */
const INNER = String.raw`\p{L}\p{N}\p{M}_`;
/** A ServiceAccount or a group of Kubernetes may have the name of a person in its own. */
const OF_KUBERNETES = /\bsystem:[^\s"'\\,;]*/giu;
const BEFORE = `(?<![${INNER}]|[${INNER}][-.+@])`;
const AFTER = `(?![${INNER}]|[-.+@][${INNER}])`;

export function createForgetter({ words, ids }: PersonNames, pseudonym: string): Forgetter {
  const known = withPictures(words).map((word) => normalized(word, 'NFC'));
  // The longest first: an address contains the username before its @.
  const sorted = [...new Set(known)].filter(Boolean).sort((one, other) => other.length - one.length);
  const pattern = new RegExp(`${BEFORE}(?:${sorted.map(RegExp.escape).join('|')})${AFTER}`, 'giu');
  const isId = (id: unknown) => typeof id === 'number' && ids.includes(id);

  function text(value: string): string {
    const composed = normalized(value, 'NFC');
    const replaced = replaceOutside(composed, pattern, pseudonym);
    return replaced === composed ? value : replaced;
  }

  function json(value: Json): Json {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return sameIfEqual(value, value.map(json));
    const isPerson = OF_PERSONS.some((key) => key in value) || KINDS_OF_PERSONS.includes((value as JsonObject)['kind']);
    return sameIfNone(value as JsonObject, (key, member) => [key, memberOf(key, member, isPerson)]);
  }

  function memberOf(key: string, member: Json, isPerson: boolean): Json {
    if (isId(member) && isPlaceOfId(key, isPerson)) return null;
    const isOfPersons = KEYED_BY_PERSONS.get(key);
    if (isOfPersons) return membersOf(json(member), isOfPersons);
    return isNameOfThing(key, isPerson) && isNameOrNames(member) ? member : json(member);
  }

  /** A map whose keys name persons. */
  function membersOf(map: Json, isOfPersons: (key: string) => boolean): Json {
    if (typeof map !== 'object' || map === null || Array.isArray(map)) return map;
    return sameIfNone(map as JsonObject, (key, member) => [isOfPersons(key) ? text(key) : key, member]);
  }

  return {
    pseudonym,
    words: sorted,
    names: (value) => text(value) !== value,
    isId,
    text,
    json: <T extends Json>(value: T) => json(value) as T,
  };
}

/**
 * Replaces what matches outside of names of Kubernetes. Takes time in proportion to the text, as a tenant chooses it: a
 * lookbehind of any length would look back from each match.
 */
function replaceOutside(text: string, pattern: RegExp, replacement: string): string {
  const protectedEnds = text.matchAll(OF_KUBERNETES).map(({ index, 0: name }) => [index, index + name.length] as const);
  let next = protectedEnds.next().value;
  const pieces: string[] = [];
  let from = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    while (next && next[1] < match.index) next = protectedEnds.next().value;
    if (next && next[0] < match.index) {
      pattern.lastIndex = next[1] + 1;
      continue;
    }
    pieces.push(text.slice(from, match.index), replacement);
    from = pattern.lastIndex;
  }
  return [...pieces, text.slice(from)].join('');
}

/** The picture of a user without one of its own has the digest of its address in its URL. */
function withPictures(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => [word, hash('sha256', word.toLowerCase())]);
}

function sameIfEqual(before: readonly Json[], after: readonly Json[]): readonly Json[] {
  return after.every((item, index) => item === before[index]) ? before : after;
}

type JsonMember = readonly [key: string, value: Json];

/** The same object if nothing in it changes. */
function sameIfNone(object: JsonObject, change: (key: string, value: Json) => JsonMember): JsonObject {
  const members = Object.entries(object).map(([key, value]) => [...change(key, value), key, value] as const);
  const isSame = members.every(([key, value, keyBefore, before]) => key === keyBefore && value === before);
  return isSame ? object : Object.fromEntries(members);
}

function isPlaceOfId(key: string, isPerson: boolean): boolean {
  return key === 'userId' || (key === 'id' && isPerson);
}

function isNameOfThing(key: string, isPerson: boolean): boolean {
  return NAMES_OF_THINGS.has(key) && !(key === 'name' && isPerson);
}

function isNameOrNames(value: Json): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
}
