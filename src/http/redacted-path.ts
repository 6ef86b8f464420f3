/** A path as the log may show it: without what could be a token. */

/** Of wire names and ids. */
const LONGEST_NAME = 100;
/** What wire names and ids consist of; most tokens have a colon or signs of base64, which these have not. */
const NAME = /^[\w.!~*'()-]*$/;
/** Our own tokens have 56 digits that nobody can guess, and a JSON Web Token begins like this. Ids of traces have 32. */
const TOKEN = /[0-9a-f]{40}|^eyJ/i;

/**
 * A random value in base64 for URLs, which has no sign that a name has not: 24 bytes give 32 characters. A long name with
 * capitals and digits may be left out, too.
 */
const RANDOM = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d).{32,}$/;

const REDACTED = '[redacted]';

/** Below it names of tokens stand, and with other servers their values, of whatever form (facts §8). */
const TOKENS = 'api-tokens';

/** `path` is percent-encoded, without a query; segments that no name could be are left out. */
export function redactedPath(path: string): string {
  return path
    .split('/')
    .map((segment, index, all) => (all[index - 1] !== TOKENS && mayBeName(decoded(segment)) ? segment : REDACTED))
    .join('/');
}

/** True for every token of ours and of Kubernetes; a value of somebody's own may look like anything. */
export function looksLikeToken(text: string): boolean {
  return TOKEN.test(text);
}

function mayBeName(text: string): boolean {
  return text.length <= LONGEST_NAME && NAME.test(text) && !RANDOM.test(text) && !looksLikeToken(text);
}

/** What cannot be decoded keeps its percent signs, which no name has. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
