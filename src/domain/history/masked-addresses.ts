/** Texts without e-mail addresses, for readers who may not read users. */

/** A word as FlagUser limits an address: no other character is forbidden before its @. */
const WORD = /[^ \t\r\n]+/g;
/** Ends an address within a word: characters that a list or a sentence puts after it. */
const DELIMITER = /[,:;<>()[\]{}"\\]/;
/** Characters that may open a sentence or a value, then the first character of the address. */
const BEGINNING = /^[,:;<>()[\]{}"\\]*[^,:;<>()[\]{}"\\]/u;
/** A string in JSON text. */
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** `ada@example.com` becomes `a…@example.com`; a masked text stays as it is. */
export function maskAddresses(text: string): string {
  return text.includes('@') ? text.replace(WORD, maskWord) : text;
}

/** JSON text with the addresses masked in all strings, keys included. Any depth is supported. */
export function maskJsonText(json: string): string {
  return json.includes('@') ? json.replace(JSON_STRING, maskLiteral) : json;
}

function maskLiteral(literal: string): string {
  return literal.includes('@') ? JSON.stringify(maskAddresses(JSON.parse(literal))) : literal;
}

/**
 * An address may have any character before its @, so it includes the whole word up to there, unless another address
 * precedes it.
 */
function maskWord(word: string): string {
  const parts = word.split('@');
  return parts
    .map((part, index) => {
      // Without a character after the @, it is no address.
      if (!parts[index + 1]) return part;
      const end = index === 0 ? 0 : Math.max(0, part.search(DELIMITER));
      return `${part.slice(0, end)}${maskLocalPart(part.slice(end))}`;
    })
    .join('@');
}

function maskLocalPart(text: string): string {
  const beginning = BEGINNING.exec(text)?.[0];
  return beginning === undefined ? text : `${beginning}…`;
}
