/** Times in the form that the API server writes. */

/** The time in UTC, in whole seconds. */
export function timestampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
