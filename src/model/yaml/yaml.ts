/** The one reader and the one writer of YAML, on the package `yaml`. */
import {
  Composer,
  type CST,
  Document,
  isCollection,
  isNode,
  isScalar,
  LineCounter,
  type Pair,
  type ParsedNode,
  Parser,
  Scalar,
  type SchemaOptions,
  type ToStringOptions,
  visit,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { aliasFault } from './aliases.ts';
import { differenceFromKubectl } from './differences.ts';
import { kubectlScalars, memberNameOf } from './scalars.ts';
import { depthFault, tokenFault, type YamlFault } from './tokens.ts';

/** `kubectl`: manifests, read as kubectl reads them. `core`: files of other programs, as YAML 1.2. */
export type YamlRules = 'kubectl' | 'core';

const SCHEMAS: Readonly<Record<YamlRules, SchemaOptions>> = {
  kubectl: { schema: 'failsafe', customTags: [...kubectlScalars], resolveKnownTags: false, merge: true },
  core: { schema: 'core', merge: true },
};

/** A document that is not empty. */
export interface YamlDocument {
  readonly root: ParsedNode;
  /** The document as JSON. */
  readonly value: unknown;
}

/** Reads documents separated by `---`, without empty ones. */
export function readYamlDocuments(
  text: string,
  { rules, lines = new LineCounter() }: { readonly rules: YamlRules; readonly lines?: LineCounter },
): readonly (YamlDocument | YamlFault)[] {
  // The library compares each member with all others, which takes minutes for a large map.
  const composer = new Composer({ ...SCHEMAS[rules], uniqueKeys: false, prettyErrors: false });
  const tokens = [...new Parser(lines.addNewLine).parse(text)].map((token) => ({ token, fault: depthFault(token) }));
  const documents = [...composer.compose(tokens.flatMap(({ token, fault }) => (fault ? [] : token)))].values();
  const isLikeJson = /^\s*\{/.test(text);
  const found = tokens.flatMap(({ token, fault }) => {
    if (fault) return fault;
    const reading = { rules, text, token, isLikeJson };
    if (token.type !== 'document') return faultBetween(reading) ?? [];
    const document = documents.next().value;
    return document ? read(document as Document.Parsed<ParsedNode>, reading) : [];
  });
  return [...found, ...composer.streamInfo().errors.map((error) => faultOf(error, text))];
}

/**
 * Reads one document as kubectl does.
 *
 * @throws Error if it is not valid, or if there are several.
 */
export function readYaml(text: string): unknown {
  const [first, second] = readYamlDocuments(text, { rules: 'kubectl' });
  if (second) throw new Error('there are several documents');
  if (first && 'message' in first) throw new Error(first.message);
  return first?.value ?? null;
}

/** Before and between documents. kubectl skips any space before JSON. */
function faultBetween({ rules, text, token, isLikeJson }: YamlSource): YamlFault | undefined {
  const isRead = rules === 'core' || (token.type === 'space' && isLikeJson);
  return isRead ? undefined : tokenFault(token, text);
}

interface YamlSource {
  readonly rules: YamlRules;
  readonly text: string;
  /** The whole document. */
  readonly token: CST.Token;
  /** Whether the text begins as JSON does. */
  readonly isLikeJson: boolean;
}

function read(document: Document.Parsed<ParsedNode>, reading: YamlSource): YamlDocument | YamlFault | [] {
  const { contents: root, errors } = document;
  const [error] = errors;
  if (error) return faultOf(error, reading.text);
  try {
    return contentOf(document, reading) ?? [];
  } catch (cause) {
    return { message: cause instanceof Error ? cause.message : String(cause), offset: root?.range[0] ?? 0 };
  }
}

function faultOf({ message, pos: [offset] }: YAMLError, text: string): YamlFault {
  return { message: explained(message, text, offset), offset };
}

/** Undefined if it is empty. */
function contentOf(
  document: Document.Parsed<ParsedNode>,
  { rules, text, token, isLikeJson }: YamlSource,
): YamlDocument | YamlFault | undefined {
  const { contents: root } = document;
  const json = rules === 'kubectl' && isLikeJson ? jsonOf(document, text) : undefined;
  const difference = rules === 'kubectl' && !json ? differenceFromKubectl(document, { text, token }) : undefined;
  const fault = faultIn(document, rules) ?? difference;
  if (fault || isNothing(root)) return fault;
  if (json) return { root, value: json.value };
  return aliasFault(document) ?? { root, value: document.toJS({ maxAliasCount: -1 }) };
}

/** kubectl reads a text that begins like JSON as JSON, if it is. Throws an Error for what kubectl does not keep. */
function jsonOf({ range: [start, , end] }: Document.Parsed<ParsedNode>, text: string) {
  const problems: string[] = [];
  const note = (key: string, member: unknown) => {
    if (typeof member === 'number' && !Number.isFinite(member)) problems.push(`the number of ${key} is too large`);
    if (![key, member].every((one) => typeof one !== 'string' || one.isWellFormed()))
      problems.push(`${JSON.stringify(key)} has half of a surrogate pair`);
    return member;
  };
  let value: unknown;
  try {
    value = JSON.parse(text.slice(start, end).replace(/^\s*---/, ''), note);
  } catch {
    return undefined;
  }
  const [problem] = problems;
  if (problem !== undefined) throw new Error(problem);
  return { value };
}

function isNothing(root: ParsedNode | null): root is null {
  return root === null || (isScalar(root) && root.value === null);
}

function explained(message: string, text: string, offset: number): string {
  const isNextObject =
    /^Unexpected flow-map-start/.test(message) && text.startsWith('{', offset) && /^\s*\{/.test(text);
  return isNextObject ? 'there is another object: separate objects by a line of ---' : message;
}

/** Gives members of maps their names in JSON. */
function faultIn(document: Document, rules: YamlRules): YamlFault | undefined {
  let fault: YamlFault | undefined;
  const found = (message: string | undefined, offset: number | undefined) => {
    if (message === undefined) return undefined;
    fault = { message, offset: offset ?? 0 };
    return visit.BREAK;
  };
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const message = nameMember(key, rules) ?? repeated(key, seen);
        if (message !== undefined) return found(message, isNode(key) ? key.range?.[0] : undefined);
      }
      return undefined;
    },
    Scalar: (key, { value, source, range }) => {
      const isBeyond = key !== 'key' && typeof value === 'number' && !Number.isFinite(value);
      return found(isBeyond ? `${source} is not a number in JSON` : undefined, range?.[0]);
    },
  });
  return fault;
}

function nameMember(key: Pair['key'], rules: YamlRules): string | undefined {
  if (isCollection(key)) return 'a map or a list cannot be the name of a member';
  if (!isScalar(key) || typeof key.value === 'string' || typeof key.value === 'symbol') return undefined;
  const source = key.source ?? '';
  const name = rules === 'kubectl' ? memberNameOf(key.value, source) : String(key.value);
  if (name === undefined) return `${source === '' ? 'nothing' : source} cannot be the name of a member`;
  key.value = name;
  return undefined;
}

function repeated(key: Pair['key'], seen: Set<unknown>): string | undefined {
  if (!isScalar(key)) return undefined;
  if (seen.has(key.value)) return 'Map keys must be unique';
  // Each `<<` merges another map.
  if (typeof key.value !== 'symbol') seen.add(key.value);
  return undefined;
}

export interface YamlStyle {
  /** Deeper lists and maps are written in one line: otherwise they would grow by the spaces before each line. */
  readonly maxBlockDepth?: number;
  /** Whether to write every text in quotes, for readers whose rules are not known. */
  readonly quotesAll?: boolean;
}

const LAYOUT: ToStringOptions = {
  lineWidth: 0,
  singleQuote: true,
  blockQuote: 'literal',
  doubleQuotedAsJSON: true,
  flowCollectionPadding: false,
  defaultKeyType: 'PLAIN',
};

/** Quotes a text where kubectl, YAML 1.1 or YAML 1.2 would read a plain one as something else. */
const WRITING = { ...SCHEMAS.kubectl, merge: false, compat: 'yaml-1.1', aliasDuplicateObjects: false } as const;

/** Writes a value of JSON so that kubectl, and readers of YAML 1.1 and 1.2, read the same value. */
export function writeYaml(value: unknown, { maxBlockDepth, quotesAll = false }: YamlStyle = {}): string {
  const document = new Document(value, WRITING);
  visit(document, {
    Collection: (_, node, path) => {
      if (path.filter((above) => 'items' in above).length === maxBlockDepth) node.flow = !hasLongName(node);
    },
    Scalar: (_, node, path) => {
      // In one line, the parser of kubectl ends plain texts at other signs than YAML 1.2.
      const isInLine = path.some((above) => 'flow' in above && above.flow === true);
      if (typeof node.value === 'string' && (isOdd(node.value) || (isInLine && /[^\w./-]/.test(node.value))))
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = document.toString({ ...LAYOUT, defaultStringType: quotesAll ? 'QUOTE_DOUBLE' : 'PLAIN' });
  return escaped(text);
}

function escaped(text: string): string {
  return text.replaceAll(LINE_ENDS_ELSEWHERE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Less than the 1,024 characters to the colon that kubectl reads. */
const LONG_NAME = 1_000;

/** Whether it has the name of a member that kubectl reads only in a line of its own, after `?`. */
function hasLongName(collection: YAMLMap | YAMLSeq): boolean {
  let isLong = false;
  visit(collection, {
    Pair: (_, { key }) => {
      isLong ||= isScalar(key) && escaped(JSON.stringify(key.value)).length > LONG_NAME;
      return isLong ? visit.BREAK : undefined;
    },
  });
  return isLong;
}

/** kubectl ends lines at some of these signs, and refuses the others. */
const LINE_ENDS_ELSEWHERE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
/** In a block of lines, these would depend on its indentation. */
const BLANKS_OF_BLOCK = /^\s|[ \t](?:\n|$)|\n\n$/;

function isOdd(text: string): boolean {
  return text.search(LINE_ENDS_ELSEWHERE) >= 0 || (text.includes('\n') && BLANKS_OF_BLOCK.test(text));
}
