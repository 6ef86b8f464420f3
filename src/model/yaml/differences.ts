/**
 * What the parser of kubectl reads in another way than YAML 1.2 says, or not at all: manifests with it are refused, so
 * that nothing is read in two ways.
 */
import {
  type CST,
  type Document,
  isAlias,
  isCollection,
  isScalar,
  type Node,
  type Pair,
  type ParsedNode,
  Scalar,
  visit,
} from 'yaml';
import { isMergeKey } from './aliases.ts';
import { tokenFault, type YamlFault } from './tokens.ts';

interface ReadScalar {
  /** The whole file. */
  readonly text: string;
  readonly token: CST.Token;
}

/** The first difference in a document of the text. */
export function differenceFromKubectl(
  document: Document.Parsed<ParsedNode>,
  { text, token }: ReadScalar,
): YamlFault | undefined {
  const [start, , end] = document.range;
  return (
    endFault(document, text) ??
    tokenFault(token, text) ??
    textFault(text.slice(start, end), start) ??
    nodeIn(document, (node) => sourceOf(text, node))
  );
}

function endFault({ directives, contents, range: [offset] }: Document.Parsed<ParsedNode>, text: string) {
  const isEmpty = contents === null || (isScalar(contents) && contents.source === '');
  const isOdd = (isEmpty && directives.docEnd) || (!directives.docStart && /^\.\.\./m.test(text.slice(0, offset)));
  return isOdd ? { message: 'kubectl reads ... in another way: separate documents by --- alone', offset } : undefined;
}

/** Also a byte order mark that does not begin the file. */
const REFUSED_SIGN = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;
const LINE_END = /[\u0085\u2028\u2029]|\r(?!\n)/;

const SEPARATOR = /^---(?![ \t]*\r?$|[ \t]+#)/m;

function textFault(text: string, start: number): YamlFault | undefined {
  const refused = (start === 0 ? text.replace(/^\ufeff/, ' ') : text).search(REFUSED_SIGN);
  if (refused >= 0)
    return { message: `kubectl refuses the sign ${escapeAt(text, refused)}: remove it`, offset: start + refused };
  const ending = text.search(LINE_END);
  const sign = escapeAt(text, ending);
  if (ending >= 0)
    return { message: `kubectl ends the line at ${sign}: write ${sign} in double quotes`, offset: start + ending };
  const separator = text.search(SEPARATOR);
  if (separator < 0) return undefined;
  return { message: 'kubectl separates documents at ---: begin this line in another way', offset: start + separator };
}

function escapeAt(text: string, index: number): string {
  return `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`;
}

/** The source of a node, and what follows it. */
type Sources = (node: Node) => { readonly source: string; readonly next: string };

function sourceOf(text: string, { range }: Node): ReturnType<Sources> {
  const [start, end] = range ?? [0, 0];
  return { source: text.slice(start, end), next: text.slice(end, end + 2) };
}

function nodeIn(document: Document.Parsed<ParsedNode>, sources: Sources): YamlFault | undefined {
  let fault: YamlFault | undefined;
  const found = (message: string | undefined, node: Node | undefined) => {
    if (message === undefined) return undefined;
    fault = { message, offset: node?.range?.[0] ?? document.range[0] };
    return visit.BREAK;
  };
  visit(document, {
    Node: (key, node, path) => {
      const isInFlow = path.some((above) => isCollection(above) && above.flow === true);
      return found(tagOf(node) ?? scalarOf(node, { isKey: key === 'key', isInFlow, ...sources(node) }), node);
    },
    Pair: (key, pair) => found(pairOf(pair, Number(key)), pair.key as Node),
  });
  return fault;
}

const STANDARD = 'tag:yaml.org,2002:';
const AS_IT_IS: readonly string[] = ['str', 'map', 'seq'];
const CONVERTED: readonly string[] = ['int', 'float', 'bool', 'null'];

function tagOf(node: Node): string | undefined {
  const tag = 'tag' in node ? node.tag : undefined;
  if (!tag?.startsWith(STANDARD)) return undefined;
  const name = tag.slice(STANDARD.length);
  if (AS_IT_IS.includes(name)) return undefined;
  const isConverted = CONVERTED.includes(name) && isScalar(node) && typeof node.value !== 'string';
  const isRead = isConverted && (name !== 'int' || isPlainInteger(node));
  return isRead ? undefined : `the tag !!${name} is not read here: write the value without it`;
}

/** kubectl reads `09` and integers beyond 64 bits as `!!float`. */
function isPlainInteger({ source, value }: Scalar): boolean {
  return Number.isSafeInteger(value) && /^[-+]?(?:0|[1-9]\d*)$/.test(source ?? '');
}

interface ScalarPlace {
  readonly source: string;
  readonly next: string;
  readonly isKey: boolean;
  readonly isInFlow: boolean;
}

const SURROGATE_ESCAPE = /(?<!\\)(?:\\\\)*\\(?:u|U0000)[dD][89a-fA-F]/;
const SLASH_ESCAPE = /(?<!\\)(?:\\\\)*\\\//;
const EMPTY_AFTER_ESCAPE = /\\\r?\n[ \t]*\r?\n/;
const ODD_IN_FLOW = /^:|\?/;

function scalarOf(node: Node, place: ScalarPlace): string | undefined {
  if (!isScalar(node)) return undefined;
  if (node.type === Scalar.QUOTE_DOUBLE) return quotedFault(place);
  return node.type === Scalar.PLAIN && place.isInFlow ? plainInFlow(place) : undefined;
}

function quotedFault({ source }: ScalarPlace): string | undefined {
  if (SURROGATE_ESCAPE.test(source)) return 'kubectl reads no \\ud800 to \\udfff in YAML: write the character itself';
  if (SLASH_ESCAPE.test(source)) return 'kubectl reads no \\/ in YAML: write / alone';
  return EMPTY_AFTER_ESCAPE.test(source)
    ? 'kubectl reads an empty line after \\ in another way: remove the line'
    : undefined;
}

function plainInFlow({ source, next, isKey }: ScalarPlace): string | undefined {
  const isOddKey = isKey && (source.includes('\n') || /^:[,[\]{}]/.test(next));
  return isOddKey || ODD_IN_FLOW.test(source)
    ? `kubectl reads ${JSON.stringify(source)} in another way between [ ] or { }: write it in quotes`
    : undefined;
}

/** `index`: the place of the member in its map. Only a key that is a node has a difference. */
function pairOf({ key }: Pair, index: number): string | undefined {
  if (isAlias(key)) return 'write the name of this member instead of *';
  if (isCollection(key)) return 'a list or a map cannot be the name of a member';
  if (!isMergeKey(key) || (index === 0 && isScalar(key) && key.tag === undefined)) return undefined;
  return 'kubectl lets << replace the members before it: write it once, as the first member, with a list of several maps';
}
