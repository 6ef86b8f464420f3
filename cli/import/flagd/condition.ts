/** Reads a condition of flagd (JsonLogic) as constraints. */
import { isRecord } from '../../../src/model/json.ts';
import type { Constraint } from '../../../src/schema/constraint.ts';
import {
  type Alternatives,
  conjunction,
  disjunction,
  inverted,
  invertedConstraint,
  type Read,
} from '../rules/alternatives.ts';
import { fieldOf } from './field.ts';

type Evaluators = Readonly<Record<string, unknown>>;

/** People do not write deeper conditions; the limit also stops evaluators that refer to themselves. */
const MAX_DEPTH = 20;

/** Returns undefined if Vexil has no constraints for the condition. */
export function readCondition(condition: unknown, evaluators: Evaluators, depth = 0): Alternatives | undefined {
  if (condition === true) return [[]];
  if (!isRecord(condition) || depth > MAX_DEPTH) return undefined;
  const [[operator, operand] = ['', undefined], ...others] = Object.entries(condition);
  if (others.length > 0) return undefined;
  const operands: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  const read = (one: unknown) => readCondition(one, evaluators, depth + 1);
  switch (operator) {
    case '$ref':
      return typeof operand === 'string' && Object.hasOwn(evaluators, operand) ? read(evaluators[operand]) : undefined;
    case 'or':
      return disjunction(operands.map(read));
    case 'and':
      return conjunction(operands.map(read));
    case '!':
      return oppositeOf(read(operands[0]));
    default:
      return readComparison(operator, operands);
  }
}

interface Opposite {
  readonly operator: Constraint['operator'];
  readonly isForZero: (value: number) => boolean;
}

/** `isForZero`: whether the comparison, not its opposite, holds for 0. */
const OPPOSITES: Readonly<Partial<Record<Constraint['operator'], Opposite>>> = {
  NUM_GT: { operator: 'NUM_LTE', isForZero: (value) => value < 0 },
  NUM_GTE: { operator: 'NUM_LT', isForZero: (value) => value <= 0 },
  NUM_LT: { operator: 'NUM_GTE', isForZero: (value) => value > 0 },
  NUM_LTE: { operator: 'NUM_GT', isForZero: (value) => value >= 0 },
};

/** The opposite of a condition of flagd. */
export function oppositeOf(condition: Read): Read {
  return inverted(condition, invertedAsFlagd);
}

/**
 * For flagd a missing number is 0. Where the comparison holds for 0, its opposite must not hold for a missing number,
 * as an inverted constraint does.
 */
function invertedAsFlagd(constraint: Constraint): Constraint {
  const { inverted: isInverted = false, operator, value } = constraint;
  const opposite = isInverted ? undefined : OPPOSITES[operator];
  return opposite?.isForZero(Number(value))
    ? { ...constraint, operator: opposite.operator }
    : invertedConstraint(constraint);
}

const NUMBERS: Readonly<Record<string, Constraint['operator']>> = {
  '>': 'NUM_GT',
  '>=': 'NUM_GTE',
  '<': 'NUM_LT',
  '<=': 'NUM_LTE',
};
const VERSIONS: Readonly<Record<string, Constraint['operator']>> = {
  '=': 'SEMVER_EQ',
  '>': 'SEMVER_GT',
  '>=': 'SEMVER_GTE',
  '<': 'SEMVER_LT',
  '<=': 'SEMVER_LTE',
};
const TEXTS: Readonly<Record<string, Constraint['operator']>> = {
  starts_with: 'STR_STARTS_WITH',
  ends_with: 'STR_ENDS_WITH',
};

type ReadComparison = (left: unknown, right: unknown) => Alternatives | undefined;

const comparisons: ReadonlyMap<string, ReadComparison> = new Map<string, ReadComparison>([
  ...['==', '==='].map((operator) => [operator, readEqual] as const),
  ...['!=', '!=='].map((operator) => [operator, (a: unknown, b: unknown) => oppositeOf(readEqual(a, b))] as const),
  ['in', readIn],
  ...Object.entries(NUMBERS).map(([operator, number]) => [operator, readNumber(number)] as const),
  ...Object.entries(TEXTS).map(([operator, text]) => [operator, readText(text)] as const),
]);

function readComparison(operator: string, operands: readonly unknown[]): Alternatives | undefined {
  if (operator === 'sem_ver') return readVersion(operands);
  const [left, right] = operands;
  return operands.length === 2 ? comparisons.get(operator)?.(left, right) : undefined;
}

function readNumber(operator: Constraint['operator']): ReadComparison {
  return (field, value) =>
    typeof value === 'number' ? asConstraint(field, { operator, value: `${value}` }) : undefined;
}

function readText(operator: Constraint['operator']): ReadComparison {
  return (field, value) => (typeof value === 'string' ? asConstraint(field, { operator, values: [value] }) : undefined);
}

/** Either side can be the field. */
function readEqual(left: unknown, right: unknown): Alternatives | undefined {
  return readEqualTo(left, right) ?? readEqualTo(right, left);
}

function readEqualTo(field: unknown, value: unknown): Alternatives | undefined {
  if (typeof value === 'number') return asConstraint(field, { operator: 'NUM_EQ', value: `${value}` });
  if (typeof value !== 'string' && typeof value !== 'boolean') return undefined;
  return asConstraint(field, { operator: 'IN', values: [`${value}`] });
}

/** A text in a field, or a field in a list. */
function readIn(left: unknown, right: unknown): Alternatives | undefined {
  if (typeof left === 'string') return asConstraint(right, { operator: 'STR_CONTAINS', values: [left] });
  return readList(left, right);
}

function readList(field: unknown, list: unknown): Alternatives | undefined {
  if (!Array.isArray(list) || list.length === 0 || !list.every((one) => typeof one === 'string')) return undefined;
  return asConstraint(field, { operator: 'IN', values: list });
}

function readVersion([field, comparison, version]: readonly unknown[]): Alternatives | undefined {
  if (typeof comparison !== 'string' || typeof version !== 'string') return undefined;
  if (comparison === '!=') return oppositeOf(readVersion([field, '=', version]));
  const operator = VERSIONS[comparison];
  return operator && asConstraint(field, { operator, value: version });
}

function asConstraint(field: unknown, comparison: Omit<Constraint, 'contextName'>): Alternatives | undefined {
  const contextName = fieldOf(field);
  return contextName === undefined ? undefined : [[{ contextName, ...comparison }]];
}
