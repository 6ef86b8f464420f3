/** A plan as lines for a terminal. */
import { styleText } from 'node:util';
import type { FieldChange } from '../../src/kube/object/field-changes.ts';
import { truncate } from '../../src/model/text.ts';
import { printableLine } from '../terminal.ts';
import { objectOf, obstaclesOf } from './obstacles.ts';
import type { ObjectPlan } from './plan-objects.ts';

type Colour = Parameters<typeof styleText>[0];
type Paint = (colour: Colour, text: string) => string;

const COLOURS: Readonly<Record<ObjectPlan['action'], Colour>> = {
  create: 'green',
  change: 'yellow',
  none: 'dim',
  delete: 'red',
  conflict: 'red',
  rejected: 'red',
};

export interface Plan {
  readonly plans: readonly ObjectPlan[];
  /** The number of objects of kinds other than those of Vexil in the files. */
  readonly passedOver: number;
}

/** Objects that do not change are only counted. */
export function planText({ plans, passedOver }: Plan, isColoured: boolean): string {
  const paint = painting(isColoured);
  const shown = plans.filter(({ action }) => action !== 'none').flatMap((plan) => objectLines(plan, paint));
  return `${[...shown, sumOf({ plans, passedOver })].join('\n')}\n`;
}

function objectLines(plan: ObjectPlan, paint: Paint): readonly string[] {
  const { action, place } = plan;
  const where = place ? ` (${place.file}:${place.line})` : '';
  return [
    `${paint(COLOURS[action], action)} ${printableLine(`${objectOf(plan)}${where}`)}`,
    ...plan.changes.map((change) => `  ${painted(change, paint)}`),
    ...obstaclesOf(plan).map(({ message }) => `  ${paint('red', '!')} ${printableLine(message)}`),
  ];
}

function painting(isColoured: boolean): Paint {
  return (colour, text) => (isColoured ? styleText(colour, text, { validateStream: false }) : text);
}

/** One field with its value before and after. */
export function changeLine(change: FieldChange, isColoured: boolean): string {
  return painted(change, painting(isColoured));
}

function painted({ path, before, after }: FieldChange, paint: Paint): string {
  const line = (sign: string, values: string) => `${sign} ${printableLine(`${path}: ${values}`)}`;
  if (before === undefined) return line(paint('green', '+'), valueText(after));
  if (after === undefined) return line(paint('red', '-'), valueText(before));
  return line(paint('yellow', '~'), `${valueText(before)} -> ${valueText(after)}`);
}

const MAX_VALUE_LENGTH = 200;

function valueText(value: unknown): string {
  return truncate(JSON.stringify(value), MAX_VALUE_LENGTH);
}

const WORDS: readonly (readonly [action: ObjectPlan['action'], words: string])[] = [
  ['create', 'to create'],
  ['change', 'to change'],
  ['delete', 'to delete'],
  ['none', 'unchanged'],
  ['conflict', 'with conflicts'],
  ['rejected', 'rejected'],
];

export function sumOf({ plans, passedOver }: Plan): string {
  const counted = WORDS.map(
    ([action, words]) => [plans.filter((plan) => plan.action === action).length, words] as const,
  );
  const frozen = plans.filter(({ freezes }) => freezes.length > 0).length;
  const named = [
    ...counted,
    [frozen, 'refused by a freeze'] as const,
    [passedOver, 'of other kinds passed over'] as const,
  ].filter(([count]) => count > 0);
  return named.length === 0 ? 'No objects.' : `${named.map((one) => one.join(' ')).join(', ')}.`;
}
