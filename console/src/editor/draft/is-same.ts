/** Compares two bodies of requests, or answers: the API server has keys in one order. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
