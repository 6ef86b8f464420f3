/** Reads the scheduled rollout of GO Feature Flag where windows and ramps can do the same. */

import { recordOf, recordsIn } from '../../../src/model/json.ts';
import type { FlagEnvironment } from '../../../src/schema/feature-flag.ts';
import { MAX_RAMP_STEPS, type Ramp } from '../../../src/schema/ramp.ts';
import { durationOf } from '../rules/ramp.ts';
import type { Given } from '../rules/records.ts';

/** Each step changes the percentage of the default rule, or switches the flag on first or off last. */
export interface Schedule {
  /** Undefined if no step changes the percentage of true. */
  readonly share: { readonly percent: number; readonly ramp: Ramp } | undefined;
  readonly window: Pick<FlagEnvironment, 'activeFrom' | 'activeUntil'>;
  readonly isEnabled: boolean;
}

interface DatedStep {
  /** Ms since 1970. */
  readonly at: number;
  readonly given: Given;
}

/** Steps without a date have no effect. */
export function datedSteps({ scheduledRollout }: Given): readonly DatedStep[] {
  return recordsIn(scheduledRollout)
    .filter(({ date }) => date !== undefined)
    .map((given) => ({ at: Date.parse(String(given['date'])), given }));
}

/** Returns undefined if Vexil has no such schedule. */
export function readSchedule(flag: Given): Schedule | undefined {
  const steps = datedSteps(flag);
  const isAscending = steps.every(({ at }, index) => at > (steps[index - 1]?.at ?? Number.NEGATIVE_INFINITY));
  if (!isAscending || !steps.every(({ given }) => isKnown(given))) return undefined;
  const switched = switchesOf(flag, steps);
  const changes = steps.filter(({ given }) => given['defaultRule'] !== undefined);
  const share = changes.length === 0 ? undefined : shareOf(flag, changes);
  if (!switched || (changes.length > 0 && !share)) return undefined;
  return { ...switched, share };
}

const STEP = ['date', 'defaultRule', 'disable', 'trackEvents', 'version', 'metadata'];
const RULE = ['name', 'percentage', 'variation'];

function isKnown(given: Given): boolean {
  const rule = Object.keys(recordOf(given['defaultRule']));
  return Object.keys(given).every((key) => STEP.includes(key)) && rule.every((key) => RULE.includes(key));
}

/** The fields of the times at which the switch changes, by its values one after the other. */
const WINDOWS: Readonly<Record<string, readonly ('activeFrom' | 'activeUntil')[]>> = {
  on: [],
  off: [],
  'on off': ['activeUntil'],
  'off on': ['activeFrom'],
  'off on off': ['activeFrom', 'activeUntil'],
};

function switchesOf(flag: Given, steps: readonly DatedStep[]): Pick<Schedule, 'window' | 'isEnabled'> | undefined {
  const changes = steps.filter(({ given }) => typeof given['disable'] === 'boolean');
  const values = [flag, ...changes.map(({ given }) => given)].map(({ disable }) => (disable === true ? 'off' : 'on'));
  const fields = WINDOWS[values.join(' ')];
  if (!fields || (changes.length > 0 && flag['experimentation'] !== undefined)) return undefined;
  const times = fields.map((field, index) => [field, new Date(changes[index]?.at ?? 0).toISOString()] as const);
  return { window: Object.fromEntries(times), isEnabled: values.includes('on') };
}

/** A step overrides what it names of the default rule; percentages count before a variation. */
function shareOf(flag: Given, changes: readonly DatedStep[]): Schedule['share'] {
  const variations = recordOf(flag['variations']);
  const isBoolean = Object.values(variations).every((value) => typeof value === 'boolean');
  let rule = recordOf(flag['defaultRule']);
  const before = percentTrue(rule, variations);
  const percentages = changes.map(({ given }) => {
    const { percentage, ...more } = recordOf(given['defaultRule']);
    const merged = { ...recordOf(rule['percentage']), ...recordOf(percentage) };
    rule = { ...rule, ...more, percentage: merged };
    return percentTrue(rule, variations);
  });
  const isWhole = [before, ...percentages].every((percent) => Number.isInteger(percent));
  if (!isBoolean || !isWhole || changes.length > MAX_RAMP_STEPS || 'progressiveRollout' in rule) return undefined;
  const steps = changes.map(({ at }, index) => {
    const next = changes[index + 1];
    return { rollout: percentages[index] ?? 0, ...(next && { for: durationOf(Math.round((next.at - at) / 1000)) }) };
  });
  const startAt = new Date(changes[0]?.at ?? 0).toISOString();
  return { percent: before, ramp: { startAt, steps } };
}

/** NaN for percentages that are not all users. */
function percentTrue({ percentage, variation }: Given, variations: Given): number {
  const list = Object.entries(recordOf(percentage));
  if (list.length === 0) return variations[String(variation)] === true ? 100 : 0;
  const total = list.reduce((sum, [, weight]) => sum + Number(weight), 0);
  const on = list.reduce((sum, [name, weight]) => sum + (variations[name] === true ? Number(weight) : 0), 0);
  return total === 100 ? on : Number.NaN;
}
