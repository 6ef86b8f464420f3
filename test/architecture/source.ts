/** TypeScript files as the checks read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseAst } from 'vitest/node';

/** A node of the syntax tree (ESTree with TypeScript's nodes), with its parent. */
export interface Place {
  readonly node: Node;
  readonly parent: Node | undefined;
  /** The key under which the parent holds the node. */
  readonly key: string;
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** One `import`, `export … from`, `import(…)` or `import('…').Type`. */
export interface Import {
  readonly specifier: string;
  /** The imported names. `*` if all are imported, or the names are unknown. */
  readonly names: '*' | readonly string[];
  readonly typeOnly: boolean;
  readonly line: number;
}

export interface Source {
  /** The path from the root of the project, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly places: readonly Place[];
  readonly imports: readonly Import[];
  lineOf(node: Node): number;
}

/** A place that breaks a rule. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly what: string;
  readonly because: string;
}

/** Reads and parses every TypeScript file below these folders. */
export function readSources(root: string, folders: readonly string[]): Source[] {
  return readTexts(root, folders).map(({ path, text }) => parseSource(path, text));
}

/** Reads every TypeScript file below these folders without parsing it. */
export function readTexts(root: string, folders: readonly string[]): Pick<Source, 'path' | 'text'>[] {
  const found = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => posix.join(folder, path)),
  );
  const paths = found.filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules')).toSorted();
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Parses one file. */
export function parseSource(path: string, text: string): Source {
  const places = placesBelow({ node: programOf(path, text), parent: undefined, key: '' });
  const lineOf = (node: Node): number => text.slice(0, node.start).split('\n').length;
  const imports = places.flatMap(({ node }) => importOf(node, lineOf));
  return { path, text, places, imports, lineOf };
}

function programOf(path: string, text: string): Node {
  try {
    return parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
  } catch (cause) {
    throw new Error(`${path} cannot be parsed`, { cause });
  }
}

/** The place itself with everything below it, in the order of the text. */
export function placesBelow(place: Place): Place[] {
  const below = Object.entries(place.node).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter(isNode)
      .flatMap((node) => placesBelow({ node, parent: place.node, key })),
  );
  return [place, ...below];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The child under this key, if there is one. */
export function child(node: Node | undefined, key: string): Node | undefined {
  const value = node?.[key];
  return isNode(value) ? value : undefined;
}

/** The children in the list under this key. */
export function children(node: Node | undefined, key: string): readonly Node[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The text of a name or of a constant string. */
export function textOf(node: Node | undefined): string | undefined {
  const text = node?.['name'] ?? node?.['value'];
  return typeof text === 'string' ? text : undefined;
}

const importingTypes = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

function importOf(node: Node, lineOf: Source['lineOf']): Import[] {
  if (!importingTypes.has(node.type)) return [];
  const source = child(node, 'source') ?? child(child(node, 'argument'), 'literal') ?? child(node, 'argument');
  const specifier = textOf(source);
  if (specifier === undefined) return [];
  return [{ specifier, names: namesOf(node), typeOnly: isTypeOnly(node), line: lineOf(node) }];
}

function namesOf(node: Node): Import['names'] {
  const specifiers = children(node, 'specifiers');
  const isWhole = !('specifiers' in node) || specifiers.some(({ type }) => type === 'ImportNamespaceSpecifier');
  if (isWhole) return '*';
  return specifiers.map(
    (one) =>
      textOf(child(one, 'imported') ?? (one.type === 'ExportSpecifier' ? child(one, 'local') : undefined)) ?? 'default',
  );
}

function isTypeOnly(node: Node): boolean {
  const kinds = [node['importKind'], node['exportKind'], node.type === 'TSImportType' ? 'type' : undefined];
  if (kinds.includes('type')) return true;
  const specifiers = children(node, 'specifiers');
  return (
    specifiers.length > 0 && specifiers.every((one) => one['importKind'] === 'type' || one['exportKind'] === 'type')
  );
}

/** The path of the file that a relative import refers to. */
export function targetOf(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined;
}

/** A finding as one line for people. */
export function inWords({ path, line, what, because }: Finding): string {
  return `${path}:${line} ${what} (${because})`;
}
