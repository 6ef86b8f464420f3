/** The value of a parameter of a strategy as text. */

/** An absent value is empty. Lists and objects become JSON. */
export function parameterText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
