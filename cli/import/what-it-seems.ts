/** What a file of a format that is not read seems to be, so that people know what to do with it. */
import { isRecord } from '../../src/model/json.ts';
import type { Given } from './rules/records.ts';

interface DocumentKind {
  /** Completes "it seems to be". */
  readonly name: string;
  matches(document: Given): boolean;
}

const KINDS: readonly DocumentKind[] = [
  {
    name: 'a summary of LaunchDarkly flags: get them with ?summary=0',
    matches: ({ items, ...flag }) => (Array.isArray(items) ? items.some(isSummary) : isSummary(flag)),
  },
  {
    name: 'a file of GO Feature Flag before version 1, which is not read',
    matches: (document) => someOf(document, 'true', 'false', 'default'),
  },
  {
    name: 'what SDKs get of Unleash, for one environment: serve it with `vexil edge --from`, or import with --from-url',
    matches: ({ features, query, meta }) => Array.isArray(features) && (isRecord(query) || isRecord(meta)),
  },
  { name: 'a state of Terraform', matches: (document) => has(document, 'terraform_version', 'resources') },
  {
    name: 'a package.json',
    matches: (document) => has(document, 'name', 'version') && someKey(document, 'dependencies', 'scripts'),
  },
  {
    name: 'an error of a server',
    matches: (document) => has(document, 'message') && someKey(document, 'name', 'error', 'statusCode', 'id'),
  },
];

/** The REST API leaves out the rules of flags unless it is asked for them. */
function isSummary(flag: unknown): boolean {
  if (!isRecord(flag) || !has(flag, 'variations') || !isRecord(flag['environments'])) return false;
  const places = Object.values(flag['environments']);
  return places.length > 0 && !places.some((place) => has(place, 'fallthrough'));
}

/** Undefined if it seems to be nothing that is known. */
export function whatItSeems(document: unknown): string | undefined {
  if (typeof document === 'string') return document.trimStart().startsWith('<') ? 'a web page' : 'text or a table';
  if (Array.isArray(document)) return someOf(document, 'name', 'strategies') ? SERVED_LIST : undefined;
  return isRecord(document) ? KINDS.find((kind) => kind.matches(document))?.name : undefined;
}

const SERVED_LIST = 'a bootstrap file of an SDK: serve it with `vexil edge --from`, or import with --from-url';

function has(value: unknown, ...keys: readonly string[]): boolean {
  return isRecord(value) && keys.every((key) => Object.hasOwn(value, key));
}

function someKey(value: Given, ...keys: readonly string[]): boolean {
  return keys.some((key) => Object.hasOwn(value, key));
}

function someOf(values: unknown, ...keys: readonly string[]): boolean {
  return typeof values === 'object' && values !== null && Object.values(values).some((one) => has(one, ...keys));
}
