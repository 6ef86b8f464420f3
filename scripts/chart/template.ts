/** Turns YAML of config/ into named Helm templates. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, parseAllDocuments } from 'yaml';
import { writeYaml } from '../../src/model/yaml/yaml.ts';

const CONFIG = join(import.meta.dirname, '../../config');

/** The documents of a file in config/, with their comments. */
export function configDocuments(path: string): readonly Document[] {
  return parseAllDocuments(readFileSync(join(CONFIG, path), 'utf8'));
}

/** The only document of this kind in a file of config/. */
export function configDocument(path: string, kind: string): Document {
  const found = configDocuments(path).filter((document) => document.get('kind') === kind);
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(`config/${path} has ${found.length} objects of the kind ${kind}`);
  return only;
}

/** YAML as template text, with template syntax escaped. */
export function asTemplateText(value: unknown): string {
  const text = writeYaml(value);
  return text.trimEnd().replaceAll('{{', '{{ "{{" }}');
}

/** A named template. */
export function namedTemplate(name: string, text: string): string {
  return `{{- define "${name}" -}}\n${text}\n{{- end }}\n`;
}
