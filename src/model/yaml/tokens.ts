/** What the tokens of a text show before values are made of them: its depth, and what kubectl reads differently. */
import type { CST } from 'yaml';
import { truncate } from '../text.ts';

export interface YamlFault {
  readonly message: string;
  /** The place in the text, in UTF-16 units. */
  readonly offset: number;
}

/** kubectl reads 10,000 levels, of which a spec keeps 64 (depth.ts). More would overflow the stack of the parser. */
const MAX_YAML_DEPTH = 200;

export function depthFault(document: CST.Token): YamlFault | undefined {
  for (const { token, depth } of tokensIn(document)) {
    if (depth <= MAX_YAML_DEPTH) continue;
    return { message: `lists and maps are nested more than ${MAX_YAML_DEPTH} levels deep`, offset: token.offset };
  }
  return undefined;
}

/** The first token that kubectl reads in another way, or not at all. */
export function tokenFault(document: CST.Token, text: string): YamlFault | undefined {
  for (const { token } of tokensIn(document)) {
    const message = messageFor(token, text);
    if (message !== undefined) return { message, offset: token.offset };
    const fault = itemFault(token, text);
    if (fault) return fault;
  }
  return undefined;
}

type AnyToken = CST.Token | CST.SourceToken;

interface Placed {
  readonly token: AnyToken;
  readonly depth: number;
}

/** In the order of the text. Not recursive, because the author of the text chooses its depth. */
function* tokensIn(root: CST.Token): Generator<Placed> {
  const waiting: Placed[] = [{ token: root, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    const depth = 'items' in next.token ? next.depth + 1 : next.depth;
    for (const token of childrenOf(next.token).toReversed()) waiting.push({ token, depth });
  }
}

function childrenOf(token: AnyToken): readonly AnyToken[] {
  const before = 'start' in token ? [token.start].flat() : [];
  const items = 'items' in token ? token.items.flatMap(tokensOfItem) : [];
  const value = 'value' in token && token.value ? [token.value] : [];
  const end = 'end' in token ? (token.end ?? []) : [];
  return [...before, ...items, ...value, ...end];
}

function tokensOfItem({ start, key, sep, value }: CST.CollectionItem): readonly AnyToken[] {
  return [...start, ...(key ? [key] : []), ...(sep ?? []), ...(value ? [value] : [])];
}

interface SimpleToken {
  readonly source: string;
  readonly offset: number;
}

type Check = (token: SimpleToken, text: string) => string | undefined;

/** The length of a part of the text in a message. */
const MAX_SHOWN = 50;
const NAME_OF_ANCHOR = /^[&*][\w-]+$/;
const TAG = /^!(?:!(?:str|map|seq|int|float|bool|null)|\w[\w-]*)$/;
const TAB_OF_LINE =
  'kubectl reads no tab at the beginning of a line, after a dash or after : in a line of its own: write spaces';
/** The library takes an escaped quote at the end of a file for the end of the text. */
const OPEN_QUOTE = 'the quote at the end of this text is missing';

const checks: Readonly<Partial<Record<AnyToken['type'], Check>>> = {
  directive: () => 'kubectl reads no directives: remove the line that begins with %',
  anchor: (token, text) => nameOfAnchor(token) ?? withoutSpace(token, text),
  alias: nameOfAnchor,
  tag: (token, text) => {
    const end = token.offset + token.source.length;
    const isRead = TAG.test(token.source) && /^\s?$/.test(text.slice(end, end + 1));
    if (isRead) return withoutSpace(token, text);
    return `the tag ${shortly(token.source)} is not read here: write the value without it`;
  },
  space: ({ source, offset }, text) =>
    source.includes('\t') && ['', '\n', '?', '-'].includes(signBefore(offset, text)) ? TAB_OF_LINE : undefined,
  scalar: ({ source }) => (/\n *\t/.test(source) ? TAB_OF_LINE : undefined),
  'single-quoted-scalar': ({ source }) => (/(?<!')(?:'')*'$/.test(source.slice(1)) ? undefined : OPEN_QUOTE),
  'double-quoted-scalar': ({ source }) => (/(?<!\\)(?:\\\\)*"$/.test(source.slice(1)) ? undefined : OPEN_QUOTE),
};

function withoutSpace({ source, offset }: SimpleToken, text: string): string | undefined {
  return /[\w'"]/.test(text.charAt(offset - 1)) ? `write a space before ${shortly(source)}` : undefined;
}

function nameOfAnchor({ source }: SimpleToken): string | undefined {
  if (NAME_OF_ANCHOR.test(source)) return undefined;
  return `kubectl ends the name ${shortly(source)} at another place: use only letters, digits, - and _`;
}

function shortly(source: string): string {
  return truncate(source, MAX_SHOWN);
}

function messageFor(token: AnyToken, text: string): string | undefined {
  if (token.type === 'block-scalar') return blockFault(token, text);
  return 'source' in token ? checks[token.type]?.(token, text) : undefined;
}

/** go-yaml looks no further for the colon after a key. */
const MAX_KEY_LENGTH = 1_024;

function itemFault(token: AnyToken, text: string): YamlFault | undefined {
  if (!('items' in token)) return undefined;
  const isFlow = token.type === 'flow-collection';
  for (const item of token.items) {
    const message = keyFault(item, { text, isFlow });
    if (message !== undefined) return { message, offset: (item.key ?? item.sep?.[0] ?? token).offset };
  }
  return undefined;
}

interface KeyPlace {
  readonly text: string;
  readonly isFlow: boolean;
}

/** Whether the colon is where kubectl looks for it. */
function keyFault(item: CST.CollectionItem, place: KeyPlace): string | undefined {
  const mark = item.start.find(({ type }) => type === 'explicit-key-ind');
  const colon = item.sep?.find(({ type }) => type === 'map-value-ind');
  if (mark) {
    const { text, isFlow } = place;
    const isBelow = !isFlow && colon && columnOf(colon.offset, text) === columnOf(mark.offset, text);
    if (isBelow && /^: *\t/.test(text.slice(colon.offset, colon.offset + MAX_KEY_LENGTH))) return TAB_OF_LINE;
    return isBelow ? undefined : 'write this member as "name: value", without ?';
  }
  return colon ? implicitKeyFault(item, colon.offset, place) : undefined;
}

function implicitKeyFault({ start, key }: CST.CollectionItem, colon: number, { text, isFlow }: KeyPlace) {
  if (!key) return 'write the name of this member';
  const properties = start.find(({ type }) => type === 'anchor' || type === 'tag');
  const source = text.slice(properties?.offset ?? key.offset, colon);
  if (source.includes('\n'))
    return 'kubectl reads no member whose name and colon are in several lines: write them in one';
  if (source.length > MAX_KEY_LENGTH)
    return `kubectl reads no names of more than ${MAX_KEY_LENGTH} characters: shorten this one`;
  const isOdd = isFlow && key.type === 'scalar' && /[,[\]{}]/.test(text.charAt(colon + 1));
  return isOdd ? `write a space after the colon of ${shortly(source)}: kubectl reads it in another way` : undefined;
}

function columnOf(offset: number, text: string): number {
  return offset === 0 ? 0 : offset - text.lastIndexOf('\n', offset - 1) - 1;
}

/** The last character before a place that is no space; empty at the beginning of the text. */
function signBefore(offset: number, text: string): string {
  let at = offset - 1;
  while (text.charAt(at) === ' ') at -= 1;
  return text.charAt(at);
}

/** Spaces and tabs decide where a block begins and ends. */
function blockFault({ offset, props, source }: CST.BlockScalar, text: string): string | undefined {
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
