/** Compares constraints with a list of context fields, which are suggestions: all findings are warnings (ADR 41). */
import { type ContextField, withBuiltInFields } from '../../src/model/context-field.ts';
import { nearest } from '../../src/model/edit-distance.ts';
import { isRecord } from '../../src/model/json.ts';
import { pathText } from '../manifests/field-path.ts';
import type { FieldFinding } from './finding.ts';

type ContextCheck = (value: unknown) => readonly FieldFinding[];

/** Operators that compare whole values. Overrides of variants have none, and do so, too. */
const EXACT: readonly unknown[] = [undefined, 'IN', 'NOT_IN', 'NUM_EQ', 'SEMVER_EQ'];
const MAX_NAMED = 5;

/** The list adds to the fields that every SDK fills. */
export function contextFieldChecker(fields: readonly ContextField[]): ContextCheck {
  const known = new Map(withBuiltInFields(fields).map((field) => [field.name, field]));
  return (value) => [...usesIn(value, [])].flatMap((use) => findingsOf(use, known));
}

interface Use {
  /** A constraint, or an override. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly path: readonly string[];
}

function* usesIn(value: unknown, path: readonly string[]): Generator<Use> {
  if (typeof value !== 'object' || value === null) return;
  if (isRecord(value) && typeof value['contextName'] === 'string') yield { value, name: value['contextName'], path };
  for (const [key, inner] of Object.entries(value)) yield* usesIn(inner, [...path, key]);
}

function findingsOf({ value, name, path }: Use, known: ReadonlyMap<string, ContextField>): readonly FieldFinding[] {
  const field = known.get(name);
  if (field === undefined) {
    const near = nearest(name, [...known.keys()]);
    const advice = near === undefined ? 'add it to the list, or correct it' : `did you mean ${near}?`;
    return [
      findingOf([...path, 'contextName'], 'UnknownContextField', `${name} is no listed context field: ${advice}`),
    ];
  }
  const legal = (field.legalValues ?? []).map((one) => one.value);
  if (legal.length === 0 || !EXACT.includes(value['operator'])) return [];
  return operandsOf(value).flatMap(([key, operand]) => {
    if (legal.includes(operand)) return [];
    const named = legal.slice(0, MAX_NAMED).join(', ') + (legal.length > MAX_NAMED ? ', …' : '');
    return [findingOf([...path, ...key], 'IllegalValue', `${operand} is no legal value of ${name} (${named})`)];
  });
}

/** Each text with its place in the constraint. */
function operandsOf({ value, values }: Use['value']): readonly (readonly [readonly string[], string])[] {
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  return [
    ...(typeof value === 'string' ? [[['value'], value] as const] : []),
    ...list.flatMap((one, index) => (typeof one === 'string' ? [[['values', `${index}`], one] as const] : [])),
  ];
}

function findingOf(path: readonly string[], rule: string, message: string): FieldFinding {
  return { severity: 'warning', path, rule, message: `${pathText(path)}: ${message}` };
}
