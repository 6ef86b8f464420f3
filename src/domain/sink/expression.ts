/** The expression of a filter: CEL whose work is bounded by the size of the entry. */
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { compiledPattern, patternSize } from '../../evaluation/patterns.ts';
import type { JsonObject } from '../../model/json.ts';
import { MAX_EXPRESSION } from '../../schema/notification-sink.ts';

export type CompiledExpression = { readonly holds: (event: JsonObject) => boolean } | { readonly problem: string };

/** The variable: the entry as it is sent. */
const EVENT = 'event';
/** Instructions of all patterns together that RE2 evaluates for a whole text. */
const MAX_PATTERNS = 200;
/** Of a text for a pattern, in characters. */
const MAX_TEXT = 10_000;
/** Of the list of a loop, each of which may fail in every part of the expression. */
const MAX_ITEMS = 100;
const LOOPS = ['all', 'exists', 'exists_one', 'map', 'filter'];
/** Each takes a time in proportion to its text or list, and none makes a larger one. */
const FUNCTIONS = ['has', 'size', 'string', 'int', 'double', 'bool', 'timestamp'];
const METHODS = ['startsWith', 'endsWith', 'contains', 'matches', 'size', 'lowerAscii', 'upperAscii', 'trim'];
/** Parts of a time, such as getHours. */
const PART_OF_TIME = /^get[A-Z]/;

const MATCHES_RE2 = 'matchesRe2';

const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 150, maxDepth: 30, maxListElements: 100, maxMapEntries: 20, maxCallArguments: 8 },
})
  .registerVariable(EVENT, 'map')
  .registerFunction(`string.${MATCHES_RE2}(string): bool`, (text: string, pattern: string) => {
    if (text.length > MAX_TEXT) throw new RangeError(`a pattern is for ${MAX_TEXT} characters`);
    return compiledPattern(pattern)?.matcher(text).find() ?? false;
  });

/** Read from the parsed expression: what a text seems to call, it may call in another way. */
export function compileExpression(expression: string): CompiledExpression {
  if (expression.length > MAX_EXPRESSION) return { problem: `has more than ${MAX_EXPRESSION} characters` };
  try {
    const evaluate = environment.parse(expression);
    const nodes = [...nodesIn(evaluate.ast)];
    const problem = checks.map((check) => check(nodes)).find((one) => one !== undefined);
    if (problem !== undefined) return { problem };
    // JavaScript has no bound of the time of `matches`, so RE2 takes its place.
    for (const { args } of nodes.filter(isMatches)) args[0] = MATCHES_RE2;
    const { valid, error } = evaluate.check();
    if (!valid) return { problem: firstLine(error) };
    const loop = nodes.find(isLoop);
    return { holds: (event) => (!loop || itemsOf(loop.args[1], event) <= MAX_ITEMS) && resultOf(evaluate, event) };
  } catch (error) {
    return { problem: firstLine(error) };
  }
}

type Check = (nodes: readonly ASTNode[]) => string | undefined;

const checks: readonly Check[] = [callsAreKnown, nothingIsAdded, loopIsShort, patternsAreSmall];

function callsAreKnown(nodes: readonly ASTNode[]): string | undefined {
  const unknown = nodes.flatMap((node) => {
    if (node.op !== 'call' && node.op !== 'rcall') return [];
    const [name] = node.args;
    const isKnown = node.op === 'call' ? FUNCTIONS.includes(name) : METHODS.includes(name) || isLoop(node);
    return isKnown || isPartOfTime(node) ? [] : [name];
  });
  return unknown.length > 0 ? `calls ${unknown[0]}, which filters do not have` : undefined;
}

/** Sums of texts and lists grow with each sum of them. */
function nothingIsAdded(nodes: readonly ASTNode[]): string | undefined {
  return nodes.some(({ op }) => op === '+') ? 'adds with +, which filters do not have' : undefined;
}

/** A loop in another, and a look at the whole entry for each item, would take the square of its size. */
function loopIsShort(nodes: readonly ASTNode[]): string | undefined {
  const [loop, ...others] = nodes.filter(isLoop);
  if (!loop) return undefined;
  if (others.length > 0) return `goes through more than one list: use one of ${LOOPS.join(', ')}`;
  const [name, list, [, ...body]] = loop.args;
  if (!isMember(list)) return `uses ${name} of a list that is no member of ${EVENT}`;
  const inBody = body.flatMap((one) => [...nodesIn(one)]);
  if (inBody.some((node) => node.op === 'id' && node.args === EVENT)) {
    return `reads ${EVENT} in ${name}: compare each item of the list with constants`;
  }
  const isLong = (node: ASTNode) => isPartOfTime(node) || isMatches(node);
  return inBody.some(isLong) ? `uses a pattern or a part of a time in ${name}, which takes too long` : undefined;
}

function patternsAreSmall(nodes: readonly ASTNode[]): string | undefined {
  let size = 0;
  for (const { args } of nodes.filter(isMatches)) {
    const [, text, [pattern]] = args;
    if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return 'has a pattern that is no constant text';
    if (!isMember(text)) return `matches a text that is no member of ${EVENT}`;
    size += patternSize(pattern.args);
    if (size > MAX_PATTERNS) return 'has patterns that are too large';
    if (!compiledPattern(pattern.args)) return 'has a pattern that RE2 rejects';
  }
  return undefined;
}

type MethodCall = Extract<ASTNode, { readonly op: 'rcall' }>;

function isLoop(node: ASTNode): node is MethodCall {
  return node.op === 'rcall' && LOOPS.includes(node.args[0]);
}

function isMatches(node: ASTNode): node is MethodCall {
  return node.op === 'rcall' && node.args[0] === 'matches';
}

function isPartOfTime(node: ASTNode): boolean {
  return node.op === 'rcall' && PART_OF_TIME.test(node.args[0]);
}

/** Such as `event.data.name`, `event["data"]`, or the variable of a loop. */
function isMember(node: ASTNode): boolean {
  if (node.op === '.') return isMember(node.args[0]);
  if (node.op === '[]') return node.args[1].op === 'value' && isMember(node.args[0]);
  return node.op === 'id';
}

/** The size of the list that a member is; 0: it is none. */
function itemsOf(member: ASTNode, event: JsonObject): number {
  const value = memberOf(member, event);
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function memberOf(member: ASTNode, event: JsonObject): unknown {
  if (member.op === 'id') return event;
  if (member.op !== '.' && member.op !== '[]') return undefined;
  const [of, key] = member.args;
  const name = typeof key === 'string' ? key : key.args;
  const value = memberOf(of, event);
  return typeof value === 'object' && value !== null ? Reflect.get(value, String(name)) : undefined;
}

/** The node, and all below it. */
function* nodesIn(node: ASTNode): Generator<ASTNode> {
  yield node;
  const args: readonly unknown[] = [node.args].flat(3);
  for (const one of args) if (isNode(one)) yield* nodesIn(one);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value;
}

/** An entry that lacks a member that the expression reads does not match. */
function resultOf(evaluate: (variables: { [EVENT]: JsonObject }) => unknown, event: JsonObject): boolean {
  try {
    return evaluate({ event }) === true;
  } catch {
    return false;
  }
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `is no expression of CEL: ${line.slice(0, 200)}`;
}
