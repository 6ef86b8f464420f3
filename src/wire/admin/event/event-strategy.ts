/** The strategy in the summary of an event: its name, and its changed fields. */
import type { Json, JsonObject } from '../../../model/json.ts';
import { bold } from './event-markdown.ts';

/** The title of the strategy, or its type if it has none. */
export function strategyTitle(strategy: JsonObject | null): string {
  return textOf(strategy?.['title']) || textOf(strategy?.['name']);
}

/** For example `rollout from **10%** to **50%**`, one change after the other; empty if no compared field differs. */
export function strategyChanges(before: JsonObject | null, after: JsonObject | null): string {
  return compared
    .map(([what, show]) => ({ what, from: show(before ?? {}), to: show(after ?? {}) }))
    .filter(({ from, to }) => from !== to)
    .map(({ what, from, to }) => `${what} from ${bold(from || NOTHING)} to ${bold(to || NOTHING)}`)
    .join('; ');
}

const NOTHING = 'none';

type Show = (strategy: JsonObject) => string;

const compared: readonly (readonly [string, Show])[] = [
  ['stickiness', parameter('stickiness')],
  ['rollout', percent(parameter('rollout'))],
  ['groupId', parameter('groupId')],
  ['constraints', ({ constraints }) => itemsOf(constraints).map(constraintText).join(' and ')],
  ['segments', ({ segments }) => itemsOf(segments).map(textOf).join(', ')],
];

function parameter(name: string): Show {
  return ({ parameters }) => textOf(membersOf(parameters)[name]);
}

function percent(show: Show): Show {
  return (strategy) => show(strategy) && `${show(strategy)}%`;
}

function constraintText(constraint: Json): string {
  const { contextName, operator, values, value, inverted, caseInsensitive } = membersOf(constraint);
  const operand = value === undefined ? `(${itemsOf(values).map(textOf).join(', ')})` : textOf(value);
  const words = [inverted === true ? 'not' : '', textOf(contextName), textOf(operator), operand];
  return [...words, caseInsensitive === true ? 'in any case' : ''].filter((word) => word !== '').join(' ');
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
}

function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function membersOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
