/** The JSON text of an entry's content, made once: bounds, row and search all need it. */

const texts = new WeakMap<object, string>();

/** The content must not change afterwards. */
export function jsonTextOf(content: object): string {
  const known = texts.get(content);
  if (known !== undefined) return known;
  const text = JSON.stringify(content);
  texts.set(content, text);
  return text;
}
