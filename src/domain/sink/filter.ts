/** The filter of a sink, compiled once. */
import { Environment } from '@marcbachmann/cel-js';
import { compiledPattern } from '../../evaluation/patterns.ts';
import type { JsonObject } from '../../model/json.ts';
import { MAX_EXPRESSION, type SinkFilter } from '../../schema/notification-sink.ts';
import type { Entry } from '../history/entry.ts';

/** `event`: the entry as it is sent. */
type MatchesEntry = (entry: Entry, event: () => JsonObject) => boolean;

export type CompiledFilter = { readonly matches: MatchesEntry } | { readonly problem: string };

/** Instructions of a pattern that RE2 evaluates for a whole text. */
const MAX_PATTERN = 200;
/** Each goes through a list; one in another would take the square of its length. */
const LOOPS = /\.\s*(all|exists|exists_one|existsOne|map|filter)\s*\(/g;
const TEXTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 300, maxDepth: 30, maxListElements: 100, maxMapEntries: 20, maxCallArguments: 8 },
})
  .registerVariable('event', 'map')
  .registerFunction('string.matchesRe2(string): bool', (text: string, pattern: string) => {
    const compiled = compiledPattern(pattern, { maxSize: MAX_PATTERN });
    if (!compiled) throw new SyntaxError('RE2 rejects the pattern, or it is too large');
    return compiled.matcher(text).find();
  });

export function compileFilter({ projects, environments, types, expression }: SinkFilter = {}): CompiledFilter {
  const named = [among(projects, 'project'), among(environments, 'environment'), among(types, 'type')];
  const isNamed = (entry: Entry) => named.every((matches) => matches(entry));
  if (expression === undefined) return { matches: isNamed };
  const compiled = compileExpression(expression);
  if ('problem' in compiled) return compiled;
  return { matches: (entry, event) => isNamed(entry) && compiled.holds(event()) };
}

function among(values: readonly string[] | null | undefined, member: 'project' | 'environment' | 'type') {
  if (!values || values.length === 0) return () => true;
  const wanted = new Set<string | null>(values);
  return (entry: Entry) => wanted.has(entry[member]);
}

type Expression = { readonly holds: (event: JsonObject) => boolean } | { readonly problem: string };

/** JavaScript has no bound of the time of `matches`, so RE2 takes its place. */
function compileExpression(expression: string): Expression {
  if (expression.length > MAX_EXPRESSION) return { problem: `has more than ${MAX_EXPRESSION} characters` };
  const code = expression.replaceAll(TEXTS, '""');
  if ([...code.matchAll(LOOPS)].length > 1)
    return { problem: 'goes through more than one list: use one all, exists, map or filter' };
  try {
    const evaluate = environment.parse(expression.replaceAll(/\.\s*matches\s*\(/g, '.matchesRe2('));
    const { valid, error } = evaluate.check();
    if (!valid) return { problem: firstLine(error) };
    return { holds: (event) => resultOf(evaluate, event) };
  } catch (error) {
    return { problem: firstLine(error) };
  }
}

/** An entry that lacks a member that the expression reads does not match. */
function resultOf(evaluate: (variables: { event: JsonObject }) => unknown, event: JsonObject): boolean {
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
