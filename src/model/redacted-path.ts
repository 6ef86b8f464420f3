/** Removes possible tokens from a path before it is logged. */

/** Longest names and ids on the wire. */
const MAX_NAME_LENGTH = 100;
/** The characters of names and ids on the wire. Most tokens also have a colon or other characters of base64. */
const NAME = /^[\w.!~*'()-]*$/;
/** Tokens of Vexil have 56 random hexadecimal digits; a JSON Web Token starts with `eyJ`. Trace ids have 32 digits. */
const TOKEN = /[0-9a-f]{40}|^eyJ/i;

/**
 * A random value in URL-safe base64, which has the same characters as a name: 24 bytes give 32 characters. A long name
 * with capitals and digits may match, too.
 */
const RANDOM = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d).{32,}$/;

const REDACTED = '[redacted]';

/**
 * The path segment before the name of a token; callers of Unleash send the value of the token
 * (docs/unleash-compatibility.md#api-tokens).
 */
const TOKENS = 'api-tokens';

/** Replaces segments that cannot be names. `path` is percent-encoded and has no query. */
export function redactedPath(path: string): string {
  return path
    .split('/')
    .map((segment, index, all) => (all[index - 1] !== TOKENS && mayBeName(decoded(segment)) ? segment : REDACTED))
    .join('/');
}

/** True for every token that Vexil or Kubernetes issues; values that users choose can have any form. */
export function looksLikeToken(text: string): boolean {
  return TOKEN.test(text);
}

function mayBeName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && NAME.test(text) && !RANDOM.test(text) && !looksLikeToken(text);
}

/** An undecodable segment keeps its percent signs, which names do not have. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
