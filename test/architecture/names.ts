/** Which names may not be used. */
import { exportsOf } from './form.ts';
import { child, children, type Finding, type Source, textOf } from './source.ts';

/** Metaphors that are not used any more, each with the term to use instead. */
const RETIRED: ReadonlyMap<string, string> = new Map([
  ['tell', 'record or report'],
  ['tells', 'records or reports'],
  ['telling', 'recording'],
  ['told', 'recorded or reported'],
  ['whoever', 'a user who'],
  ['nobody', 'anonymous or none'],
  ['somebody', 'a user or manager'],
  ['bell', 'notifier'],
  ['scribe', 'batcher'],
  ['waking', 'trigger'],
  ['persistently', 'retry'],
  ['door', 'API or entry point'],
  ['doors', 'APIs'],
  ['room', 'layer, folder or budget'],
  ['rooms', 'layers'],
  ['deed', 'operation'],
  ['deeds', 'operations'],
  ['fate', 'planned change'],
  ['fates', 'planned changes'],
  ['unborn', 'new'],
  ['surroundings', 'context'],
  ['neighbourhood', 'context'],
  ['eldest', 'oldest'],
  ['rival', 'conflicting owner'],
  ['rivals', 'conflicting owners'],
  ['held', 'owned'],
  ['leaf', 'field'],
  ['leaves', 'fields'],
  ['usual', 'default'],
  ['co own', 'claim fields'],
  ['ways out', 'remediation'],
  ['news', 'Event or content'],
  ['wish', 'request'],
  ['asker', 'caller'],
  ['askers', 'callers'],
  ['sought', 'required'],
  ['lives', 'incarnations'],
]);

/**
 * Superlatives at the start of the name of a limit, as in `MOST_TAGS`. `longest` alone is a value, and
 * `longest_running_…` is a metric of client-go.
 */
const LIMIT = /^(most|longest|least|shortest) (?!recent|running)/;

/** Identifiers with a word that has a better one. A property or variable is reported once for each file. */
export function retiredNames(sources: readonly Source[]): Finding[] {
  return sources.flatMap(({ path, places, lineOf }) => {
    const first = new Map(
      places
        .filter(({ node }) => node.type === 'Identifier')
        .toReversed()
        .map(({ node }) => [String(node['name']), node]),
    );
    return [...first].flatMap(([name, node]) => {
      const term = termFor(name);
      return term === undefined
        ? []
        : [{ path, line: lineOf(node), what: `uses the name ${name}`, because: `the term is: ${term}` }];
    });
  });
}

function termFor(name: string): string | undefined {
  const words = name
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/g, ' ')
    .toLowerCase()
    .trim();
  const padded = ` ${words} `;
  const retired = [...RETIRED].find(([word]) => padded.includes(` ${word} `));
  if (retired !== undefined) return retired[1];
  return LIMIT.test(words) ? 'MAX_ or MIN_' : undefined;
}

/** Names that more than one file of src exports. */
export function repeatedExports(sources: readonly Source[]): Finding[] {
  const firstPaths = new Map<string, string>();
  const because = 'an exported name exists once, so that a search for it finds one thing';
  return sources
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap((source) =>
      [...new Map(exportsOf(source).map((one) => [one.name, one.node]))].flatMap(([name, node]) => {
        const isPassedOn = node.type === 'ExportSpecifier';
        const first = firstPaths.get(name);
        if (isPassedOn) return [];
        if (first === undefined) {
          firstPaths.set(name, source.path);
          return [];
        }
        const what = `exports ${name}, as ${first} does`;
        return [{ path: source.path, line: source.lineOf(node), what, because }];
      }),
    );
}

const DECLARED_TYPES: ReadonlySet<string> = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'ClassDeclaration',
]);

/** Unexported types with the name of a type that another file exports, in the same program or in src. */
export function repeatedTypes(sources: readonly Source[]): Finding[] {
  const because = 'one name means one type, so that a reader need not look which of them a file means';
  const exported = new Map<string, string[]>();
  for (const source of sources.filter(({ path }) => programOf(path) !== undefined)) {
    for (const { name, node } of exportsOf(source)) {
      if (DECLARED_TYPES.has(node.type)) exported.set(name, [...(exported.get(name) ?? []), source.path]);
    }
  }
  return sources
    .filter(({ path }) => programOf(path) !== undefined && !path.includes('.generated.'))
    .flatMap(({ path, places, lineOf }) =>
      children(places[0]?.node, 'body')
        .filter(({ type }) => DECLARED_TYPES.has(type))
        .flatMap((node) => {
          const name = textOf(child(node, 'id')) ?? '';
          const others = (exported.get(name) ?? []).filter((other) => mayMean(path, other));
          return others.length === 0
            ? []
            : [{ path, line: lineOf(node), what: `declares ${name}, which ${others[0]} exports`, because }];
        }),
    );
}

function programOf(path: string): string | undefined {
  return /^(src|cli|console)\//.exec(path)?.[1];
}

function mayMean(path: string, other: string): boolean {
  return programOf(other) === 'src' || programOf(other) === programOf(path);
}
