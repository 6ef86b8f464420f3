/** Reads JSON of which nothing is known. */

export type Given = Readonly<Record<string, unknown>>;

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Undefined for empty text and for other values. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
