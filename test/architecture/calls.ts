/** Calls that no file may contain. */
import { child, children, type Finding, type Node, placesBelow, type Source, textOf } from './source.ts';

const levels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

/** Log calls whose message is not a constant sentence after the facts. */
export function composedLogMessages(sources: readonly Source[]): Finding[] {
  const because = 'a message is a constant sentence and the facts are fields, so that lines can be found and counted';
  return sources.flatMap(({ path, places, lineOf }) =>
    places
      .filter(({ node }) => isLogCall(node) && !isConstantText(children(node, 'arguments')[1]))
      .map(({ node }) => ({ path, line: lineOf(node), what: 'logs a message that is not constant', because })),
  );
}

function isLogCall(node: Node): boolean {
  const callee = child(node, 'callee');
  if (node.type !== 'CallExpression' || callee?.type !== 'MemberExpression') return false;
  return (
    levels.has(textOf(child(callee, 'property')) ?? '') &&
    /^log(ger)?$|Log(ger)?$/.test(lastName(child(callee, 'object')))
  );
}

/** `logger` of `logger`, `parts.logger` and `parts.logger.child({})`. */
function lastName(node: Node | undefined): string {
  if (node?.type === 'CallExpression') return lastName(child(child(node, 'callee'), 'object'));
  return textOf(node?.type === 'MemberExpression' ? child(node, 'property') : node) ?? '';
}

function isConstantText(node: Node | undefined): boolean {
  if (node?.type === 'TemplateLiteral') return children(node, 'expressions').length === 0;
  return node?.type === 'Literal' && typeof node['value'] === 'string';
}

/** Uses of `locals` of Express, which is `any` under any key. */
export function untypedLocals(sources: readonly Source[]): Finding[] {
  const because = 'what is known of a request is typed, in RequestContext';
  return sources.flatMap(({ path, places, lineOf }) =>
    places
      .filter(({ node }) => namesOf(node).includes('locals'))
      .map(({ node }) => ({ path, line: lineOf(node), what: 'uses locals of Express', because })),
  );
}

/** The members that a node reads: `a.b`, `a['b']` and `const { b } = a`. */
function namesOf(node: Node): readonly (string | undefined)[] {
  const property = child(node, 'property');
  if (node.type === 'MemberExpression') return [textOf(property), property?.['value'] as string | undefined];
  if (node.type !== 'ObjectPattern') return [];
  return children(node, 'properties').map((one) => textOf(child(one, 'key')));
}

/** Settles a promise, or begins or ends a subscription. */
const notListeners = /^(resolve|reject|subscribe|stop)$/;

/** Loops of the programs that call the functions that they loop over, and await nothing from them. */
export function ownLoops(sources: readonly Source[]): Finding[] {
  const because = 'a loop ends with the first function that throws: createListeners calls the others all the same';
  return sources
    .filter(({ path }) => /^(src|cli)\//.test(path) && path !== 'src/model/listeners.ts')
    .flatMap(({ path, places, lineOf }) =>
      places
        .filter(({ node }) => callsEachMember(node))
        .map(({ node }) => ({ path, line: lineOf(node), what: 'calls functions in a loop of its own', because })),
    );
}

/** `for (const go of all) go();`, and the same with `{ go }` or with `forEach`. */
function callsEachMember(node: Node): boolean {
  const [iteration] = children(node, 'arguments');
  const isForEach = textOf(child(child(node, 'callee'), 'property')) === 'forEach';
  const members = isForEach
    ? children(iteration, 'params').slice(0, 1)
    : children(child(node, 'left'), 'declarations').flatMap((one) => child(one, 'id') ?? []);
  const body = isForEach ? child(iteration, 'body') : child(node, 'body');
  if (body === undefined || !(isForEach || node.type === 'ForOfStatement')) return false;
  const names = members.flatMap(namesBound).filter((name) => !notListeners.test(name));
  const statements = isForEach && body.type !== 'BlockStatement' ? [body] : below(body).flatMap(calledAlone);
  return statements.some((one) => names.some((name) => calls(one, name)));
}

/** The expression of a statement, whose value is not used. */
function calledAlone(node: Node): readonly Node[] {
  return node.type === 'ExpressionStatement' ? [child(node, 'expression') ?? node] : [];
}

function namesBound(pattern: Node): readonly string[] {
  if (pattern.type !== 'ObjectPattern') return [textOf(pattern) ?? ''];
  return children(pattern, 'properties').map((one) => textOf(child(one, 'value')) ?? '');
}

/** Tests that let time pass. */
export function sleeps(sources: readonly Source[]): Finding[] {
  const because =
    'a test waits for a condition with a deadline: a sleep is too short on a slow machine and too long on any other';
  return sources
    .filter(({ path }) => path.startsWith('test/'))
    .flatMap(({ path, places, imports, lineOf }) => {
      const calls = places.filter(({ node }) => node.type === 'NewExpression').flatMap(({ node }) => sleepsIn(node));
      const imported = imports.filter(({ specifier }) => /^(node:)?timers\/promises$/.test(specifier));
      const lines = new Set([...calls.map(lineOf), ...imported.map(({ line }) => line)]);
      return [...lines].map((line) => ({ path, line, what: 'sleeps', because }));
    });
}

/** Timers inside a `new Promise` that only resolve it. */
function sleepsIn(promise: Node): Node[] {
  const executor = children(promise, 'arguments')[0];
  const resolve = textOf(children(executor, 'params')[0]);
  if (textOf(child(promise, 'callee')) !== 'Promise' || executor === undefined || resolve === undefined) return [];
  return below(executor).filter(
    (node) => calls(node, 'setTimeout') && enqueues(children(node, 'arguments')[0], resolve),
  );
}

function enqueues(callback: Node | undefined, resolve: string): boolean {
  if (callback?.type === 'Identifier') return textOf(callback) === resolve;
  return callback !== undefined && below(callback).some((node) => calls(node, resolve));
}

function below(node: Node): Node[] {
  return placesBelow({ node, parent: undefined, key: '' }).map((place) => place.node);
}

function calls(node: Node, name: string): boolean {
  return node.type === 'CallExpression' && textOf(child(node, 'callee')) === name;
}
