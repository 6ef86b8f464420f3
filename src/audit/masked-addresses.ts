/** Texts without e-mail addresses: an Event is for everyone in its namespace, an address is not. */
import type { Json } from './entry.ts';

/** Ends a word in which an address may stand: no unquoted address has any of these before its @. */
const END = String.raw`\s@:,;<>()[\]{}"\\`;
/** A word is tried once, from its beginning: a text of one long word costs no more than another. */
const WITHIN = new RegExp(String.raw`(?<![^${END}])([^${END}])[^${END}]*"?@(?=[^\s@])`, 'gu');
/** What FlagUser takes for an address, whatever stands before the @. */
const WHOLE = /^([^@\s])[^@\s]*@(?=[^@\s]+$)/u;

/** `ada@example.com` becomes `a…@example.com`; a masked text stays as it is. */
export function maskAddresses(text: string): string {
  return text.replace(WHOLE.test(text) ? WHOLE : WITHIN, '$1…@');
}

/** In every text of it; keys are texts too. */
export function maskAddressesIn<J extends Json>(json: J): J;
export function maskAddressesIn(json: Json): Json {
  if (typeof json === 'string') return maskAddresses(json);
  if (json === null || typeof json !== 'object') return json;
  if (Array.isArray(json)) return json.map((item) => maskAddressesIn(item));
  // `fromEntries` defines members, so a key `__proto__` stays a key.
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [maskAddresses(key), maskAddressesIn(value)]));
}
