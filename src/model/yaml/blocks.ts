/** Blocks of text after `|` and `>` that kubectl reads in another way. */
import type { CST } from 'yaml';

/** Spaces and tabs decide where a block begins and ends. */
export function blockFault({ offset, props, source }: CST.BlockScalar, text: string): string | undefined {
  // A `---` in the line of the sign is no part of the block for the library.
  const [header = ''] = text.slice(offset).split('\n', 1);
  const [, ...body] = text.slice(offset, endOf(offset, { props, source }, text)).split('\n');
  if (!/^[|>][-+\d]*\s*(?:#.*)?$/.test(header)) return `begin the text in the line below ${header.slice(0, 1)}`;
  const first = body.find((line) => /[^ \r]/.test(line));
  const indent = first === undefined ? Number.POSITIVE_INFINITY : first.search(/[^ ]/);
  const isExplicit = /^[|>][-+]?\d/.test(header);
  if (body.some((line) => /^ *\t/.test(line) && (isExplicit || line === first || line.indexOf('\t') < indent)))
    return 'kubectl reads no tab at the beginning of a block of text: write spaces, or the text in double quotes';
  const isOpen = /^ +$/.test(body.at(-1) ?? '') && header.includes('+');
  return isOpen || (isExplicit && body.some((line) => /^ +\r?$/.test(line)))
    ? 'kubectl reads lines of spaces in a block of text in another way: remove these spaces, or write the text in double quotes'
    : undefined;
}

/** The end of the last line of spaces after the text. */
function endOf(offset: number, { props, source }: Pick<CST.BlockScalar, 'props' | 'source'>, text: string): number {
  const head = props.reduce((length, prop) => length + ('source' in prop ? prop.source.length : 0), 0);
  const end = offset + head + source.length;
  const [blank = ''] = /^(?:[ \t]*\r?\n)*(?:[ \t]*$)?/.exec(text.slice(end)) ?? [];
  return end + blank.length;
}
