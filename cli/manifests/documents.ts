/** Parses text into documents of YAML or JSON whose fields have places. */
import { LineCounter } from 'yaml';
import type { YamlFault } from '../../src/model/yaml/tokens.ts';
import { readYamlDocuments, type YamlRules } from '../../src/model/yaml/yaml.ts';
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

/** Reads documents separated by `---`, without empty ones. */
export function parseDocuments(source: Source, rules: YamlRules): readonly (ParsedDocument | Unreadable)[] {
  const lines = new LineCounter();
  const at = (offset: number) => placeAt(source.file, lines, offset);
  return readYamlDocuments(source.text, { rules, lines }).map((document) => {
    if ('message' in document) return { place: at(document.offset), message: explained(document, source.text) };
    const { root, value } = document;
    return { value, placeOf: (path) => at(offsetOf(root, path)) };
  });
}

/** Names a template where the fault is one: its own message would be about YAML. */
function explained({ offset, message }: YamlFault, text: string): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1).split('\n', 1)[0] ?? '';
  return line.includes('{{')
    ? 'this is a template that is not rendered: check the output of helm template instead'
    : message;
}

export function isUnreadable(document: ParsedDocument | Unreadable): document is Unreadable {
  return 'message' in document;
}
