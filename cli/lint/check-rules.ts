/** Applies the CEL rules of a kind to an object, as the API server does when the object is created. */
import { Environment } from '@marcbachmann/cel-js';
import { MAX_PATTERN_SIZE } from '../../src/domain/flag/judge/evaluation-work.ts';
import { compiledPattern, patternSize } from '../../src/evaluation/patterns.ts';
import { isRecord } from '../../src/model/json.ts';
import { isThere } from '../../src/schema/fields/shapes.ts';
import type { StructuralSchema } from '../../src/schema/structural/structural-schema.ts';
import { pathText } from '../manifests/field-path.ts';
import type { FieldFinding } from './finding.ts';
import { childrenOf } from './schema-children.ts';

type Evaluate = (variables: { readonly self: unknown }) => unknown;
type ValidationRule = NonNullable<StructuralSchema['x-kubernetes-validations']>[number];

/**
 * The API server uses the syntax of RE2, which differs from that of JavaScript. Throws for a pattern that RE2 rejects,
 * as the rule does in the API server. Only the rule for patterns of users matches the empty text: a pattern that is too
 * large to be evaluated is not compiled, because the judgement of the flag refuses it.
 */
function matchesRe2(text: string, pattern: string): boolean {
  if (text === '' && patternSize(pattern) > MAX_PATTERN_SIZE) return false;
  const compiled = compiledPattern(pattern);
  if (!compiled) throw new SyntaxError(`RE2 rejects the pattern ${pattern}`);
  return compiled.matcher(text).find();
}

/** JavaScript reads a day that does not exist as a later one. Throws, as the rule does in the API server. */
function existingTime(text: string): Date {
  if (!isThere(text)) throw new RangeError(`${text} does not exist`);
  return new Date(text);
}

const environment = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false })
  .registerFunction('string.matchesRe2(string): bool', matchesRe2)
  .registerFunction('existingTime(string): google.protobuf.Timestamp', existingTime)
  .registerFunction('list.sum(): dyn', (numbers: readonly bigint[]) => numbers.reduce((sum, one) => sum + one, 0n));

const evaluators = new Map<string, Evaluate>();

function evaluatorOf(rule: string): Evaluate {
  const known =
    evaluators.get(rule) ??
    environment.parse(rule.replaceAll('.matches(', '.matchesRe2(').replaceAll('timestamp(', 'existingTime('));
  evaluators.set(rule, known);
  return known;
}

/** Expects an object that matches the schema otherwise. Skips rules that compare with an earlier version. */
export function brokenRules(
  schema: StructuralSchema,
  value: unknown,
  path: readonly string[] = [],
): readonly FieldFinding[] {
  if (value === undefined || value === null) return [];
  const rules = (schema['x-kubernetes-validations'] ?? []).filter(({ rule }) => !/\boldSelf\b/.test(rule));
  const self = rules.length === 0 ? undefined : celValue(schema, value);
  const broken = rules.flatMap((rule) => {
    const result = resultOf(rule.rule, self);
    return result === 'holds' ? [] : findingOf(result === 'failed' ? { ...rule, fieldPath: '' } : rule, path);
  });
  return [
    ...broken,
    ...childrenOf(schema, value).flatMap(([key, child, inner]) => brokenRules(child, inner, [...path, key])),
  ];
}

/** The API server does not name the field of a rule that ends with an error. */
function resultOf(rule: string, self: unknown): 'holds' | 'broken' | 'failed' {
  try {
    return evaluatorOf(rule)({ self }) === true ? 'holds' : 'broken';
  } catch {
    return 'failed';
  }
}

function findingOf({ message, fieldPath = '' }: ValidationRule, path: readonly string[]): FieldFinding {
  const place = [...path, ...fieldPath.split('.').filter((key) => key !== '')];
  return { severity: 'error', path: place, rule: 'rule', message: `${pathText(place)}: ${message}` };
}

/** Names of fields that are words of CEL are written with underscores in rules. */
const ESCAPED: Readonly<Record<string, string>> = { for: '__for__' };

/** CEL tells integers from other numbers, and times from text. Fields that are null are absent. */
function celValue(schema: StructuralSchema, value: unknown): unknown {
  if (typeof value === 'number') return isInteger(schema) && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'string') return schema.format === 'date-time' ? new Date(value) : value;
  const children = childrenOf(schema, value);
  if (Array.isArray(value)) return children.map(([, child, inner]) => celValue(child, inner));
  if (!isRecord(value)) return value;
  const typed = children.map(([key, child, inner]) => [ESCAPED[key] ?? key, celValue(child, inner)] as const);
  return { ...value, ...Object.fromEntries(typed) };
}

function isInteger({ type, 'x-kubernetes-int-or-string': isEither }: StructuralSchema): boolean {
  return type === 'integer' || isEither === true;
}
