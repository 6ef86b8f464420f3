/** Reads a query of GO Feature Flag as alternatives of constraints. */
import { conjunction, disjunction, inverted, type Read } from '../rules/alternatives.ts';
import { comparisonOf } from './comparison.ts';
import { type Token, tokensOf } from './query-tokens.ts';

/** Returns undefined if Vexil has no constraints for the query, or it is no query. */
export function readQuery(query: string): Read {
  const tokens = tokensOf(query);
  if (!tokens || tokens.length === 0) return undefined;
  const reading: TokenReader = { tokens, at: 0, depth: 0 };
  const read = readExpression(reading);
  return reading.at === tokens.length ? read : undefined;
}

interface TokenReader {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
}

/** People do not write deeper queries. */
const MAX_DEPTH = 20;

/** `and` and `or` bind equally, from left to right. */
function readExpression(reading: TokenReader): Read {
  let read = readOperand(reading);
  for (;;) {
    const operator = wordAt(reading);
    if (operator !== 'and' && operator !== 'or') return read;
    reading.at += 1;
    const next = readOperand(reading);
    read = operator === 'and' ? conjunction([read, next]) : disjunction([read, next]);
  }
}

function readOperand(reading: TokenReader): Read {
  const isInverted = wordAt(reading) === 'not';
  if (isInverted) reading.at += 1;
  if (!isMark(reading, '(')) return isInverted ? undefined : readComparison(reading);
  reading.at += 1;
  reading.depth += 1;
  const read = reading.depth > MAX_DEPTH ? undefined : readExpression(reading);
  reading.depth -= 1;
  if (!isMark(reading, ')')) return undefined;
  reading.at += 1;
  return isInverted ? inverted(read) : read;
}

function readComparison(reading: TokenReader): Read {
  const [field, operator] = reading.tokens.slice(reading.at);
  if (field?.kind !== 'word' || !operator) return undefined;
  reading.at += 2;
  const name = operator.text.toLowerCase();
  if (name === 'pr') return comparisonOf(field.text, 'pr', []);
  return comparisonOf(field.text, name, readValues(reading));
}

/** One value, or those of a list. */
function readValues(reading: TokenReader): readonly Token[] {
  const { tokens } = reading;
  if (!isMark(reading, '[')) {
    reading.at += 1;
    return tokens.slice(reading.at - 1, reading.at);
  }
  const end = tokens.findIndex(({ kind, text }, index) => index > reading.at && kind === 'mark' && text === ']');
  const list = end < 0 ? [] : tokens.slice(reading.at + 1, end);
  reading.at = end < 0 ? tokens.length : end + 1;
  return list.filter(({ kind }) => kind !== 'mark');
}

function wordAt({ tokens, at }: TokenReader): string | undefined {
  const token = tokens[at];
  return token?.kind === 'word' ? token.text.toLowerCase() : undefined;
}

function isMark({ tokens, at }: TokenReader, mark: string): boolean {
  return tokens[at]?.kind === 'mark' && tokens[at]?.text === mark;
}

/** Whether the query compares a text with letters as a whole, which GO Feature Flag does without case. */
export function ignoresCase(query: string): boolean {
  const tokens = tokensOf(query) ?? [];
  return tokens.some(({ kind, text }, index) => {
    const before = tokens[index - 1]?.text.toLowerCase() ?? '';
    return kind === 'text' && /\p{L}/u.test(text) && ['eq', '==', 'ne', '!='].includes(before);
  });
}

/** Whether the query is about the field. */
export function isAbout(query: string, field: string): boolean {
  return tokensOf(query)?.some(({ kind, text }) => kind === 'word' && text === field) === true;
}
