/** Parses text into documents of YAML or JSON whose fields have places. */
import { type Document, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml';
import { offsetOf, type Place, placeAt } from './place.ts';
import type { Source } from './source.ts';

/** Returns the place of the field with these keys from the root, or of the nearest field around it. */
export type PlaceOf = (path: readonly string[]) => Place;

export interface ParsedDocument {
  /** The document as JSON. */
  readonly value: unknown;
  readonly placeOf: PlaceOf;
}

export interface Unreadable {
  readonly place: Place;
  readonly message: string;
}

/** Each alias takes as much memory as the value that it stands for. */
const MAX_ALIASES = 100;

/**
 * Parses documents separated by `---`, without empty ones. kubectl reads manifests as YAML 1.1, where `on` and `NO` are
 * booleans; other files are YAML 1.2.
 */
export function parseDocuments(source: Source, version: '1.1' | '1.2'): readonly (ParsedDocument | Unreadable)[] {
  const lines = new LineCounter();
  const options = { version, merge: true, prettyErrors: false, lineCounter: lines } as const;
  const documents = parseAllDocuments<ParsedNode>(source.text, options);
  return [...documents].flatMap((document) => parseOne(document, source.file, lines));
}

export function isUnreadable(document: ParsedDocument | Unreadable): document is Unreadable {
  return 'message' in document;
}

function parseOne(
  document: Document.Parsed<ParsedNode>,
  file: string,
  lines: LineCounter,
): readonly (ParsedDocument | Unreadable)[] {
  const { contents: root } = document;
  const at = (offset: number) => placeAt(file, lines, offset);
  const [error] = document.errors;
  if (error) return [{ place: at(error.pos[0]), message: error.message }];
  if (!root) return [];
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return [{ value, placeOf: (path) => at(offsetOf(root, path)) }];
  } catch (cause) {
    return [{ place: at(root.range[0]), message: cause instanceof Error ? cause.message : String(cause) }];
  }
}
