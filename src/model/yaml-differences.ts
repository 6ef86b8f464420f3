/**
 * What the parser of kubectl reads in another way than YAML 1.2 says, or not at all: manifests with it are refused, so
 * that nothing is read in two ways.
 */
import { type Document, isCollection, isScalar, type Node, type Pair, type ParsedNode, Scalar, visit } from 'yaml';

export interface YamlFault {
  readonly message: string;
  /** The place in the text, in UTF-16 units. */
  readonly offset: number;
}

/** The first difference in a document of the text. */
export function differenceFromKubectl(document: Document.Parsed<ParsedNode>, text: string): YamlFault | undefined {
  const [start, , end] = document.range;
  return (
    directiveIn(document, start) ??
    signIn(text.slice(start, end), start) ??
    nodeIn(document, (node) => sourceOf(text, node))
  );
}

function directiveIn({ directives }: Document.Parsed<ParsedNode>, offset: number): YamlFault | undefined {
  const isUsed = directives.yaml.explicit === true || Object.keys(directives.tags).length > 1;
  return isUsed ? { message: 'kubectl reads no directives: remove the line that begins with %', offset } : undefined;
}

/** Also a byte order mark that does not begin the file. */
const REFUSED_SIGN = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;
const LINE_END = /[\u0085\u2028\u2029]|\r(?!\n)/;

function signIn(text: string, start: number): YamlFault | undefined {
  const refused = (start === 0 ? text.replace(/^\ufeff/, ' ') : text).search(REFUSED_SIGN);
  if (refused >= 0)
    return { message: `kubectl refuses the sign ${escapeAt(text, refused)}: remove it`, offset: start + refused };
  const ending = text.search(LINE_END);
  if (ending < 0) return undefined;
  const sign = escapeAt(text, ending);
  return { message: `kubectl ends the line at ${sign}: write ${sign} in double quotes`, offset: start + ending };
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
  return isConverted ? undefined : `the tag !!${name} is not read here: write the value without it`;
}

interface Place {
  readonly source: string;
  readonly next: string;
  readonly isKey: boolean;
  readonly isInFlow: boolean;
}

const SURROGATE_ESCAPE = /(?<!\\)(?:\\\\)*\\(?:u|U0000)[dD][89a-fA-F]/;
const ODD_IN_FLOW = /^:|\?/;

function scalarOf(node: Node, { source, next, isKey, isInFlow }: Place): string | undefined {
  if (!isScalar(node)) return undefined;
  if (node.type === Scalar.QUOTE_DOUBLE && SURROGATE_ESCAPE.test(source))
    return 'kubectl reads no \\ud800 to \\udfff in YAML: write the character itself';
  if (node.type !== Scalar.PLAIN || !isInFlow) return undefined;
  const isOddKey = isKey && (source.includes('\n') || /^:[,[\]{}]/.test(next));
  return isOddKey || ODD_IN_FLOW.test(source)
    ? `kubectl reads ${JSON.stringify(source)} in another way between [ ] or { }: write it in quotes`
    : undefined;
}

/** `index`: the place of the member in its map. Only a key that is a node has a difference. */
function pairOf({ key }: Pair, index: number): string | undefined {
  if (isCollection(key)) return 'a list or a map cannot be the name of a member';
  const isMerge = isScalar(key) && typeof key.value === 'symbol';
  return isMerge && index > 0
    ? 'kubectl lets << replace the members before it: write it once, as the first member, with a list of several maps'
    : undefined;
}
