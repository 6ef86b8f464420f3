/** What a document has that Vexil cannot have in the same way. */

export interface Unmapped {
  /** In the document, as `features[0].type`. */
  readonly path: string;
  readonly value: unknown;
  /** What is written instead, and what to do. */
  readonly advice: string;
}

/** `features[0].type` of its keys. */
export function pathOfKeys(keys: readonly (string | number)[]): string {
  return keys.reduce<string>((sum, key) => {
    if (/^\d+$/.test(`${key}`)) return `${sum}[${key}]`;
    return sum === '' ? `${key}` : `${sum}.${key}`;
  }, '');
}
