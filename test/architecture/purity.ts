/** What only the process may use: `process`, the clock, randomness. */
import { isProcess } from './layers.ts';
import { child, children, type Finding, type Node, type Place, type Source, textOf } from './source.ts';

/** `process`, outside of main. */
export function processOutsideMain(sources: readonly Source[]): Finding[] {
  const because = 'only main knows the process; everyone else gets values';
  return sources
    .filter(({ path }) => path.startsWith('src/') && !isProcess(path))
    .flatMap((source) => {
      const { path, places, imports, lineOf } = source;
      const used = places.filter(namesProcess).map(({ node }) => lineOf(node));
      const imported = imports.filter(({ specifier }) => /^(node:)?process$/.test(specifier)).map(({ line }) => line);
      return [...used, ...imported].map((line) => ({ path, line, what: 'uses process', because }));
    });
}

function namesProcess({ node, parent, key }: Place): boolean {
  if (node.type !== 'Identifier' || textOf(node) !== 'process') return false;
  const ofGlobal = textOf(child(parent, 'object')) === 'globalThis';
  return ofGlobal || !isMereKey(parent, key);
}

/** The name of a member or of a property, which refers to nothing by itself. */
function isMereKey(parent: Place['parent'], key: string): boolean {
  return (key === 'property' || key === 'key') && parent?.['computed'] !== true && parent?.['shorthand'] !== true;
}

const impureNames =
  /^(randomUUID|randomBytes|randomInt|getRandomValues|setTimeout|setInterval|setImmediate|performance)$/;
const impureMembers = /^(Date\.now|Math\.random|Date\(\)|new Date\(\))$/;

/** Clock, randomness and timers in the layers that must be pure. */
export function impurity(sources: readonly Source[]): Finding[] {
  const because = 'in domain, model, schema and wire clock, randomness and timers arrive as values';
  return sources
    .filter(({ path }) => /^src\/(domain|model|schema|wire)\//.test(path))
    .flatMap(({ path, places, lineOf }) => {
      const uses = places.flatMap(({ node }) => impureUse(node).map((use) => ({ line: lineOf(node), use })));
      return once(uses).map(({ line, use }) => ({ path, line, what: `uses ${use}`, because }));
    });
}

interface Use {
  readonly line: number;
  readonly use: string;
}

/** Reports each place once: an import without another name has two names at one place. */
function once(uses: readonly Use[]): Use[] {
  return [...new Map(uses.map((one) => [`${one.line} ${one.use}`, one])).values()];
}

function impureUse(node: Node): string[] {
  const use = nameOfUse(node);
  return impureNames.test(use) || impureMembers.test(use) ? [use] : [];
}

function nameOfUse(node: Node): string {
  const callee = textOf(child(node, 'callee'));
  switch (node.type) {
    case 'Identifier':
      return textOf(node) ?? '';
    case 'MemberExpression':
      return `${textOf(child(node, 'object'))}.${textOf(child(node, 'property'))}`;
    case 'CallExpression':
      return `${callee}()`;
    case 'NewExpression':
      return children(node, 'arguments').length === 0 ? `new ${callee}()` : '';
    default:
      return '';
  }
}
