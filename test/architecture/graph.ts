/** Rules about all files together. */
import { exportsOf } from './form.ts';
import { type Finding, type Source, targetOf, textOf } from './source.ts';

/** Files that import each other in a circle. Each circle is reported once. */
export function cycles(sources: readonly Source[]): Finding[] {
  const because = 'files in a circle can only be understood all at once';
  const bySource = new Map(sources.map((source) => [source.path, source]));
  const finished = new Set<string>();
  const findings: Finding[] = [];

  function follow(path: string, way: readonly string[]): void {
    const source = bySource.get(path);
    if (source === undefined || finished.has(path)) return;
    for (const { specifier, line } of source.imports) {
      const target = targetOf(path, specifier) ?? '';
      const start = [...way, path].indexOf(target);
      if (start < 0) follow(target, [...way, path]);
      else
        findings.push({
          path,
          line,
          what: `closes a circle: ${[...way, path].slice(start).join(' → ')} → ${target}`,
          because,
        });
    }
    finished.add(path);
  }

  for (const { path } of sources) follow(path, []);
  return findings;
}

/** Parts that work only where a cluster is; and schemas of kinds and YAML, which take memory that the edge saves. */
const OF_CLUSTERS =
  /^src\/((kube|kinds|audit|catalog|actions|model\/yaml|access\/(authorization|sessions|readable))\/|schema\/[^/]+$)/;

/** What the program of the edge runs, through any number of imports, that belongs to the cluster. Types do not run. */
export function edgeOfCluster(sources: readonly Source[]): Finding[] {
  const because = 'the edge runs where no cluster is';
  const bySource = new Map(sources.map((source) => [source.path, source]));
  const seen = new Set<string>();
  const reach = (path: string): Finding[] => {
    const source = bySource.get(path);
    if (!source || seen.has(path)) return [];
    seen.add(path);
    return source.imports
      .filter(({ typeOnly }) => !typeOnly)
      .flatMap(({ specifier, line }) => {
        const target = targetOf(path, specifier) ?? '';
        if (OF_CLUSTERS.test(target)) return [{ path, line, what: `brings ${target} into the edge`, because }];
        return reach(target);
      });
  };
  return reach('src/edge.ts');
}

/** Exports of src that no file imports. A type that only its own file uses needs no export. */
export function deadExports(sources: readonly Source[]): Finding[] {
  const because = 'what nobody uses is deleted, or at least not exported';
  const used = usedNames(sources);
  return sources
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap((source) =>
      exportsOf(source)
        .filter(({ name }) => !used.has(`${source.path}#${name}`) && !used.has(`${source.path}#*`))
        .filter(({ name, node }) => !(isType(node.type) && mentions(source, name) > 1))
        .map(({ name, node }) => ({
          path: source.path,
          line: source.lineOf(node),
          what: `exports ${name}, which nobody imports`,
          because,
        })),
    );
}

function usedNames(sources: readonly Source[]): Set<string> {
  const used = sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, names }) => {
      const target = targetOf(path, specifier);
      return (names === '*' ? ['*'] : names).map((name) => `${target}#${name}`);
    }),
  );
  return new Set(used);
}

function isType(nodeType: string): boolean {
  return nodeType === 'TSInterfaceDeclaration' || nodeType === 'TSTypeAliasDeclaration';
}

function mentions({ places }: Source, name: string): number {
  return places.filter(({ node }) => node.type === 'Identifier' && textOf(node) === name).length;
}
