/** Checks the syntax of names, labels and annotations, as the API server does for objects of any kind. */
import { recordOf } from '../../src/model/json.ts';
import { truncate } from '../../src/model/text.ts';
import { metadataOf } from '../manifests/ref.ts';
import type { FieldFinding } from './finding.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_LABEL = new RegExp(`^${LABEL}$`);
const DNS_SUBDOMAIN = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const QUALIFIED = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)$/;

const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;
const MAX_ANNOTATION_BYTES = 256 * 1024;
/** Longer texts do not help. */
const MAX_SHOWN = 80;

/** Checks an object whose fields have the right types; wrong types are findings of the schema. */
export function metadataFindings(object: unknown): readonly FieldFinding[] {
  const { name, namespace, labels, annotations } = metadataOf(object);
  return [
    ...nameFindings(name),
    ...(typeof namespace === 'string' ? namespaceFindings(namespace) : []),
    ...entriesOf(labels).flatMap(([key, value]) => labelFindings(key, value)),
    ...entriesOf(annotations).flatMap(([key]) => keyFindings('annotations', key, key.toLowerCase())),
    ...sizeFindings(annotations),
  ];
}

function nameFindings(name: unknown): readonly FieldFinding[] {
  if (name === undefined || name === null || name === '') {
    return [finding([], 'metadata.name is missing: give the object a name')];
  }
  if (typeof name !== 'string' || isSubdomain(name)) return [];
  const rule = `at most ${MAX_SUBDOMAIN} lower-case letters, digits, "-" and ".", which begin and end with a letter or a digit`;
  return [finding(['name'], `metadata.name must be ${rule}, it is ${quote(name)}`)];
}

function namespaceFindings(namespace: string): readonly FieldFinding[] {
  if (namespace === '' || (namespace.length <= MAX_LABEL && DNS_LABEL.test(namespace))) return [];
  const rule = `at most ${MAX_LABEL} lower-case letters, digits and "-", which begin and end with a letter or a digit`;
  return [finding(['namespace'], `metadata.namespace must be ${rule}, it is ${quote(namespace)}`)];
}

function labelFindings(key: string, value: unknown): readonly FieldFinding[] {
  const ofKey = keyFindings('labels', key, key);
  if (typeof value !== 'string' || value === '' || isQualified(value)) return ofKey;
  const rule = `at most ${MAX_LABEL} letters, digits, "-", "_" and ".", which begin and end with a letter or a digit`;
  return [...ofKey, finding(['labels', key], `the label ${quote(key)} must be ${rule}, it is ${quote(value)}`)];
}

/** `checked` is the text to check: the API server checks keys of annotations in lower case. */
function keyFindings(field: 'labels' | 'annotations', key: string, checked: string): readonly FieldFinding[] {
  const [name = '', prefix, ...more] = checked.split('/').reverse();
  const isFine = isQualified(name) && more.length === 0 && (prefix === undefined || isSubdomain(prefix));
  if (isFine) return [];
  const rule = `NAME or DOMAIN/NAME, with a name of at most ${MAX_LABEL} letters, digits, "-", "_" and "."`;
  return [finding([field, key], `a key of metadata.${field} must be ${rule}, it is ${quote(key)}`)];
}

function sizeFindings(annotations: unknown): readonly FieldFinding[] {
  const bytes = entriesOf(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0),
    0,
  );
  if (bytes <= MAX_ANNOTATION_BYTES) return [];
  const message = `metadata.annotations must have at most ${MAX_ANNOTATION_BYTES} bytes, they have ${bytes}`;
  return [finding(['annotations'], message)];
}

function isSubdomain(text: string): boolean {
  return text.length <= MAX_SUBDOMAIN && DNS_SUBDOMAIN.test(text);
}

function isQualified(text: string): boolean {
  return text.length <= MAX_LABEL && QUALIFIED.test(text);
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(recordOf(value));
}

function finding(path: readonly string[], message: string): FieldFinding {
  return { severity: 'error', path: ['metadata', ...path], rule: 'schema', message };
}

function quote(text: string): string {
  return truncate(JSON.stringify(text), MAX_SHOWN);
}
