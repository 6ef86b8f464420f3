import { cut } from '../../src/model/text.ts';

/** The pattern takes a square of the length. */
const MAX_LENGTH = 5_000;

/** Removes the syntax of bold text, links and escapes: what a summary says, as plain text. */
export function withoutMarkdown(text: string): string {
  // In one pass, so that an escaped bracket begins no link.
  const syntax = /\\([!-/:-@[-`{-~])|\*\*|\[((?:\\.|[^\]\\])*)\]\([^)]*\)/g;
  return cut(text, MAX_LENGTH).replace(
    syntax,
    (_, escaped: string | undefined, label: string | undefined) => escaped ?? withoutMarkdown(label ?? ''),
  );
}
