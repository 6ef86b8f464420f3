/** A part of a document that Vexil cannot have in the same way. */

export interface Unmapped {
  /** The path in the document, such as `features[0].type`. */
  readonly path: string;
  readonly value: unknown;
  /** Says what is written instead, and what to do. */
  readonly advice: string;
  /** Nothing is lost: flags mean the same. */
  readonly isNote?: true;
}

export function lost(keys: readonly (string | number)[], value: unknown, advice: string): Unmapped {
  return { path: pathOfKeys(keys), value, advice };
}

/** Returns the path that keys form, such as `features[0].type`. */
export function pathOfKeys(keys: readonly (string | number)[]): string {
  return keys.reduce<string>((sum, key) => {
    if (/^\d+$/.test(`${key}`)) return `${sum}[${key}]`;
    return sum === '' ? `${key}` : `${sum}.${key}`;
  }, '');
}
