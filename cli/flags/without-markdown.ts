/** Removes the syntax of bold text, links and escapes: what a summary says, as plain text. */
export function withoutMarkdown(text: string): string {
  // In one pass, so that an escaped bracket begins no link.
  const syntax = /\\([!-/:-@[-`{-~])|\*\*|\[((?:\\.|[^\]\\])*)\]\([^)]*\)/g;
  return text.replace(
    syntax,
    (_, escaped: string | undefined, label: string | undefined) => escaped ?? withoutMarkdown(label ?? ''),
  );
}
