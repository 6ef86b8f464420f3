/** Describes what an event changed, with a line for each value before (-) and after (+). */

type Data = Readonly<Record<string, unknown>> | null;

/** Longer values are cut. */
const MAX_VALUE_LENGTH = 2_000;

export function differenceText(before: Data, after: Data): string {
  const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return keys.flatMap((key) => linesOf(key, before?.[key], after?.[key])).join('\n');
}

function linesOf(key: string, before: unknown, after: unknown): readonly string[] {
  const [was, is] = [textOf(before), textOf(after)];
  if (was === is) return [];
  return [...(was === undefined ? [] : [`- ${key}: ${was}`]), ...(is === undefined ? [] : [`+ ${key}: ${is}`])];
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
