/** Reads flag files of GO Feature Flag 1 into flags of Vexil. */
import { isRecord, recordOf, recordsIn } from '../../../src/model/json.ts';
import type { FlagEnvironment } from '../../../src/schema/feature-flag.ts';
import { type Imported, type ImportOptions, together } from '../imported.ts';
import { ALWAYS, all } from '../rules/alternatives.ts';
import { flagObject, metadataLoss } from '../rules/flag-object.ts';
import { NO_SUCH_RULES, placeOfRules } from '../rules/place-of-rules.ts';
import { type Given, textOf } from '../rules/records.ts';
import { DEFAULT_FIELD, one, type Share, type TargetingRule } from '../rules/targeting-rule.ts';
import { lost, type Unmapped } from '../unmapped.ts';
import { fieldOf } from './comparison.ts';
import { ignoresCase, isAbout } from './query.ts';
import { outcomesOf, readRule } from './rule.ts';
import { readSchedule, type Schedule } from './schedule.ts';

/** The document has the flags by their names. */
export function isGoff(document: Given): boolean {
  return Object.values(document).some(
    (flag) => isRecord(flag) && isRecord(flag['variations']) && 'defaultRule' in flag,
  );
}

export function readGoff(document: Given, options: ImportOptions): Imported {
  const read = Object.entries(document).map(([name, flag]) =>
    isRecord(flag) && isRecord(flag['variations'])
      ? readFlag(name, flag, options)
      : { objects: [], unmapped: [lost([name], flag, 'It is no flag. It is left out.')] },
  );
  return together(read);
}

function readFlag(name: string, flag: Given, { project, environment }: ImportOptions): Imported {
  const path = [name];
  const { targeting, defaultRule, scheduledRollout } = flag;
  const schedule = readSchedule(flag);
  const { description, ...metadata } = recordOf(flag['metadata']);
  const value = { targeting, defaultRule, ...(scheduledRollout !== undefined && { scheduledRollout }) };
  const { place, unmapped } = placeOfRules({
    ...{ name, path, value, rules: rulesOf(flag, schedule), isEnabled: schedule?.isEnabled === true },
    variants: new Map(Object.entries(recordOf(flag['variations']))),
    rulesAt: { path: [...path, 'targeting'], value: targeting ?? defaultRule },
  });
  const notes = unmapped.some(({ advice }) => advice === NO_SUCH_RULES) ? [] : queryNotes(flag, path);
  const environments = { [environment]: { ...windowOf(flag), ...schedule?.window, ...place } };
  return {
    objects: [flagObject({ name, project, description, environments })],
    unmapped: [...metadataLoss(metadata, path), ...unmapped, ...notes],
  };
}

/** Returns undefined if Vexil has no such rules, or they change at times as a ramp does not. */
function rulesOf(flag: Given, schedule: Schedule | undefined): readonly TargetingRule[] | undefined {
  const { bucketingKey, targeting, defaultRule } = flag;
  const stickiness = fieldOf(textOf(bucketingKey) ?? DEFAULT_FIELD);
  if (!schedule || stickiness === undefined) return undefined;
  const variations = recordOf(flag['variations']);
  const around = { variations, stickiness };
  const rules = recordsIn(targeting).map((rule) => readRule(rule, around));
  const last = schedule.share
    ? scheduledRules({ ...schedule.share, stickiness }, variations)
    : outcomesOf(recordOf(defaultRule), ALWAYS, around);
  return all([...rules, last])?.flat();
}

/** The variation of true has a share that changes, and the other one is that of all others. */
function scheduledRules(share: Share, variations: Given): readonly TargetingRule[] | undefined {
  const [on, off] = [true, false].map((value) => Object.keys(variations).find((name) => variations[name] === value));
  if (on === undefined || off === undefined) return undefined;
  return [
    { when: ALWAYS, share, outcome: one(on) },
    { when: ALWAYS, outcome: one(off) },
  ];
}

/** Outside of an experimentation applications get their default. */
function windowOf({ experimentation }: Given): Pick<FlagEnvironment, 'activeFrom' | 'activeUntil'> {
  const { start, end } = recordOf(experimentation);
  const [from, until] = [start, end].map((time) => (time === undefined ? Number.NaN : Date.parse(String(time))));
  return {
    ...(from !== undefined && !Number.isNaN(from) && { activeFrom: new Date(from).toISOString() }),
    ...(until !== undefined && !Number.isNaN(until) && { activeUntil: new Date(until).toISOString() }),
  };
}

const CASE =
  'GO Feature Flag compares texts without case, Vexil with case. Users whose value differs in case alone get another variation.';
const ENVIRONMENT =
  'GO Feature Flag adds the field env to each user. Send it in the context, or import the file for each environment and edit the rules.';

function queryNotes({ targeting }: Given, path: readonly string[]): readonly Unmapped[] {
  const queries = recordsIn(targeting).flatMap(({ query }) => textOf(query) ?? []);
  const place = [...path, 'targeting'];
  return [
    ...(queries.some(ignoresCase) ? [lost(place, queries, CASE)] : []),
    ...(queries.some((query) => isAbout(query, 'env')) ? [lost(place, queries, ENVIRONMENT)] : []),
  ];
}
