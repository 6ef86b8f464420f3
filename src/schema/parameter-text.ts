/** A parameter of a strategy as text, which is all that SDKs read. */

/** Absent: empty. Lists and objects: their JSON. */
export function parameterText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
