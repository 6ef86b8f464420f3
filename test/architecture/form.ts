/** The form of a file. */
import { posix } from 'node:path';
import { child, children, type Finding, type Node, type Source, textOf } from './source.ts';

const MAX_LINES = 400;
/** The same limit as in `biome.json`. */
const MAX_COLUMNS = 120;
const COMMENT = /^\s*(\/\/|\/?\*)/;
/** URLs and directives for Biome stay on one line. */
const ON_ONE_LINE = /https?:|biome-ignore/;

/** Files that are too long. */
export function tooLong(sources: readonly Source[]): Finding[] {
  const because = `a file has one meaning, and ${MAX_LINES} lines are plenty for one`;
  return sources
    .filter(({ path }) => !path.includes('.generated.'))
    .flatMap(({ path, text }) => {
      const lines = text.trimEnd().split('\n').length;
      return lines > MAX_LINES ? [{ path, line: lines, what: `has ${lines} lines`, because }] : [];
    });
}

/** Lines of comments that are too wide; Biome wraps only code. */
export function wideComments(sources: readonly Source[]): Finding[] {
  const because = 'lines of prose wrap like lines of code';
  return sources.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const isWide = line.length > MAX_COLUMNS && COMMENT.test(line) && !ON_ONE_LINE.test(line);
      return isWide ? [{ path, line: index + 1, what: `has ${line.length} columns`, because }] : [];
    }),
  );
}

/** Files of src that do not begin with a comment. */
export function withoutMeaning(sources: readonly Source[]): Finding[] {
  const because = 'the first comment says in a short sentence what the file means';
  return sources
    .filter(({ path, text }) => /^(console\/)?src\//.test(path) && !/^(\/\/|\/\*)/.test(text))
    .map(({ path }) => ({ path, line: 1, what: 'does not begin with a comment', because }));
}

/** Default exports. */
export function defaultExports(sources: readonly Source[]): Finding[] {
  const because = 'a thing has the same name everywhere';
  return sources.flatMap(({ path, places, lineOf }) =>
    places
      .filter(({ node }) => node.type === 'ExportDefaultDeclaration' || isRenamedToDefault(node))
      .map(({ node }) => ({ path, line: lineOf(node), what: 'exports a default', because })),
  );
}

function isRenamedToDefault(node: Node): boolean {
  return node.type === 'ExportSpecifier' && textOf(child(node, 'exported')) === 'default';
}

/** Types of the programs that only say what a function returns: results of `create…`, and exported types. */
export function unwrittenTypes(sources: readonly Source[]): Finding[] {
  const because = 'a reader finds the members of a part, with their meaning, in one place';
  const unwritten =
    /\b(?:ReturnType|Parameters)<typeof create\w+>|^export type \w+ = (?:Awaited<)?ReturnType<typeof \w+>/;
  return sources.filter(isOfProgram).flatMap((source) => {
    const { path, text, lineOf } = source;
    const named = text.split('\n').flatMap((line, index) => {
      const [what] = unwritten.exec(line) ?? [];
      return what === undefined ? [] : [{ path, line: index + 1, what: `has ${what}`, because }];
    });
    const created = source.places.flatMap(({ node }) => {
      if (node.type !== 'ExportNamedDeclaration') return [];
      const made = child(node, 'declaration');
      const name = made?.type === 'FunctionDeclaration' ? textOf(child(made, 'id')) : undefined;
      return name?.startsWith('create') && child(made, 'returnType') === undefined
        ? [{ path, line: lineOf(node), what: `does not say what ${name} returns`, because }]
        : [];
    });
    return [...named, ...created];
  });
}

function isOfProgram({ path }: Source): boolean {
  return /^(src|cli)\//.test(path);
}

/** Files that only re-export other files. */
export function barrels(sources: readonly Source[]): Finding[] {
  const because = 'an import names the file that means the thing';
  return sources.flatMap(({ path, places, lineOf }) => {
    const program = places[0]?.node;
    const statements = children(program, 'body');
    const passesOn = (node: Node): boolean => /^Export/.test(node.type) && child(node, 'source') !== undefined;
    const whole = statements.find(({ type }) => type === 'ExportAllDeclaration');
    if (whole) return [{ path, line: lineOf(whole), what: 'passes on a whole file', because }];
    const isBarrel = posix.basename(path) === 'index.ts' || (statements.length > 0 && statements.every(passesOn));
    return isBarrel ? [{ path, line: 1, what: 'is a barrel', because }] : [];
  });
}

/** Imports of files by a path that is not relative, or lacks its ending. */
export function unclearPaths(sources: readonly Source[]): Finding[] {
  const because = 'Node runs the files as they are: a path is relative and ends in .ts';
  return sources.flatMap(({ path, imports }) =>
    imports
      .filter(
        ({ specifier }) => /^(\/|#|~|file:)/.test(specifier) || /^\.\.?(\/|$)(?!.*\.(tsx?|json|css)$)/.test(specifier),
      )
      .map(({ specifier, line }) => ({ path, line, what: `imports ${specifier}`, because })),
  );
}

const emptyWords = new Set(
  'util utils utility utilities helper helpers common misc manager managers handler handlers data info process'.split(
    ' ',
  ),
);
/** A `field manager` is what Kubernetes calls the owner of a field. */
const kubernetesTerm = /(field|protected|spec|status)[-_]?managers?/gi;

/** Names of files and exports that say nothing, and interfaces with an `I`. */
export function emptyNames(sources: readonly Source[]): Finding[] {
  const because = 'a name says what a thing means; these words fit everything';
  return sources.flatMap((source) => {
    const { path, lineOf } = source;
    const file = posix.basename(path).replace(/(\.\w+)+$/, '');
    const named = path.startsWith('src/') ? exportsOf(source) : [];
    const folders = posix.dirname(path).split('/').slice(1);
    return [
      ...[file, ...folders].filter(isEmptyName).map((name) => ({ path, line: 1, what: `is called ${name}`, because })),
      ...named
        .filter(
          ({ name, node }) =>
            isEmptyName(name) || (node.type === 'TSInterfaceDeclaration' && /^I[A-Z][a-z]/.test(name)),
        )
        .map(({ name, node }) => ({ path, line: lineOf(node), what: `exports ${name}`, because })),
    ];
  });
}

function isEmptyName(name: string): boolean {
  const words = name.replace(kubernetesTerm, '').split(/[-_.]|(?<=[a-z0-9])(?=[A-Z])/);
  return words.some((word) => emptyWords.has(word.toLowerCase()));
}

/** Files that are not called in lower case with dashes. */
export function oddFileNames(sources: readonly Source[]): Finding[] {
  const because = 'files are lower-kebab.ts, so that nobody has to remember the case';
  return sources
    .filter(({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|generated))?\.tsx?$/.test(posix.basename(path)))
    .map(({ path }) => ({ path, line: 1, what: 'has an odd file name', because }));
}

export interface Export {
  readonly name: string;
  /** The declaration, or where the name is listed. */
  readonly node: Node;
}

/** The names that a file exports. */
export function exportsOf({ places }: Source): Export[] {
  return places
    .filter(({ node }) => node.type === 'ExportNamedDeclaration')
    .flatMap(({ node }) => [
      ...declaredBy(child(node, 'declaration')),
      ...children(node, 'specifiers').map((one) => ({ name: textOf(child(one, 'exported')) ?? '', node: one })),
    ]);
}

function declaredBy(declaration: Node | undefined): Export[] {
  if (declaration === undefined) return [];
  const declared = declaration.type === 'VariableDeclaration' ? children(declaration, 'declarations') : [declaration];
  return declared.map((one) => ({ name: textOf(child(one, 'id')) ?? '', node: one }));
}

/** Lines of the lockfile that name a registry. */
export function registriesIn(lockfile: string): Finding[] {
  const because = 'the lockfile holds versions and hashes; where packages come from is the matter of whoever installs';
  return lockfile
    .split('\n')
    .flatMap((text, index) =>
      /"resolved": "(http|git)/.test(text)
        ? [{ path: 'package-lock.json', line: index + 1, what: 'names a registry', because }]
        : [],
    );
}
