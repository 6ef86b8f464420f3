/** The report of flags that can be removed, for programs that remove code. */
import { z } from 'zod';
import { flagTypeOf } from '../../../domain/flag/flag-values.ts';
import { wireNameOf } from '../../../domain/identity/names.ts';
import { type FlagInUse, productionOf } from '../../../domain/usage/flag-in-use.ts';
import { type StaleFinding, staleReasons } from '../../../domain/usage/stale-finding.ts';
import { flagTypes } from '../../../schema/feature-flag.ts';
import type { UnknownReport } from '../application.ts';
import { wireNatural, wireNullableText } from '../fields.ts';
import { repeated, sortOrderParam, wholeNumber } from '../query.ts';
import { presentTime, wireTime } from '../timestamp.ts';

const MAX_VALUES = 100;

const named = (what: string) =>
  repeated
    .refine((all) => all.length <= MAX_VALUES, { error: `there are more than ${MAX_VALUES} of them` })
    .meta({ description: what });

const reasons: readonly string[] = staleReasons;

export const staleQuery = z.object({
  project: named('Only flags of one of these projects.'),
  name: named('Only findings about flags with one of these names.'),
  reason: repeated
    .refine((all) => all.every((one) => reasons.includes(one)), { error: `each must be one of ${reasons.join(', ')}` })
    .meta({ description: `Only findings with one of these reasons: ${reasons.join(', ')}.` }),
  offset: wholeNumber({ least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 }, 'How many to skip'),
  limit: wholeNumber({ least: 1, most: 1000, fallback: 100 }, 'How many to answer'),
  sortBy: z
    .enum(['days', 'name', 'project', 'reason'])
    .optional()
    .meta({
      description: 'The field to sort by. Equal findings are sorted by name. Default: days.',
      examples: ['days'],
    }),
  sortOrder: sortOrderParam.meta({
    description: 'The order. Left out: desc for days, asc for all others.',
    examples: ['desc'],
  }),
});
export type StaleQuery = z.output<typeof staleQuery>;

const answers = wireNatural
  .nullable()
  .meta({ description: 'Evaluations since then; null: the database of usage cannot be reached.', examples: [1200] });

const wireStaleFinding = z
  .object({
    name: z.string().meta({ examples: ['one-page-checkout'] }),
    project: wireNullableText.meta({ description: 'null: there is no such flag.', examples: ['shop'] }),
    type: z.enum(flagTypes).nullable(),
    createdAt: wireTime.nullable(),
    reason: z.enum(staleReasons).meta({ examples: ['AlwaysOn'] }),
    since: wireTime.meta({ description: 'The time since which the reason holds, according to reports of SDKs.' }),
    days: wireNatural.meta({ description: 'Whole days from then to the last report of any SDK.', examples: [42] }),
    keep: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the code behind the flag stays; null: the use does not say.', examples: [true] }),
    advice: z.string().meta({ examples: ['Remove the flag and keep the code behind it.'] }),
    environments: z.array(
      z.object({
        name: z.string().meta({ examples: ['production'] }),
        isProduction: z.boolean(),
        enabled: z.boolean(),
        firstSeenAt: wireTime,
        lastSeenAt: wireTime,
        yes: answers,
        no: answers,
      }),
    ),
    applications: z
      .array(z.string())
      .meta({ description: 'The applications that asked since then.', examples: [['shop']] }),
    dependents: z.array(z.string()).meta({ description: 'Flags that depend on it.' }),
  })
  .meta({ id: 'StaleFinding' });
export type WireStaleFinding = z.infer<typeof wireStaleFinding>;

export const wireStaleReport = z
  .object({
    version: z.literal(1),
    findings: z.array(wireStaleFinding),
    total: wireNatural,
    measuredSince: wireTime.nullable().meta({
      description:
        'The time from which reports of SDKs are known: evidence is as old at most. Null: nothing was reported yet.',
    }),
  })
  .meta({ id: 'StaleReport' });

/** The sums of an environment, with its applications; undefined if not known at the moment. */
export interface EnvironmentSums {
  readonly environment: string;
  readonly appNames: readonly string[];
  readonly days: readonly { readonly at: number; readonly yes: number; readonly no: number }[];
}

export interface FoundStale {
  readonly subject: FlagInUse;
  readonly project: string;
  readonly finding: StaleFinding;
}

/** `sums` are the sums by environment for the time of the finding; undefined if not known at the moment. */
export function presentStale(
  { subject, project, finding }: FoundStale,
  sums: readonly EnvironmentSums[] | undefined,
): WireStaleFinding {
  const { flag, environments, enabledIn } = subject;
  const production = productionOf(environments);
  const sumOf = (name: string, answer: 'yes' | 'no') => {
    const days = sums?.find(({ environment }) => environment === name)?.days ?? [];
    return sums ? days.reduce((sum, day) => sum + day[answer], 0) : null;
  };
  // Reports about archived flags are in no sum.
  const applications = [...(sums ?? []).flatMap(({ appNames }) => appNames), ...finding.applications];
  const { reason, since, days, keep, advice, dependents } = finding;
  return {
    name: wireNameOf(flag),
    project,
    type: flagTypeOf(flag.spec),
    createdAt: presentTime(flag.metadata.creationTimestamp),
    ...{ reason, since: new Date(since).toISOString(), days, keep, advice },
    environments: finding.usage.map(({ environment, firstAt, lastAt }) => ({
      name: environment,
      isProduction: production.has(environment),
      enabled: enabledIn.has(environment),
      firstSeenAt: new Date(firstAt).toISOString(),
      lastSeenAt: new Date(lastAt).toISOString(),
      yes: sumOf(environment, 'yes'),
      no: sumOf(environment, 'no'),
    })),
    applications: [...new Set(applications)].sort(),
    dependents: [...dependents],
  };
}

/** A finding for a name that no flag has. */
export function presentUnknown(name: string, reports: readonly UnknownReport[]): WireStaleFinding {
  const since = new Date(Math.max(...reports.map(({ lastAt }) => lastAt))).toISOString();
  return {
    ...{ name, project: null, type: null, createdAt: null },
    ...{ reason: 'UnknownInUse', since, days: 0, keep: null },
    advice: 'Create the flag, or remove it from these applications.',
    environments: [...Map.groupBy(reports, ({ environment }) => environment)].map(([environment, ofPlace]) => {
      const at = new Date(Math.max(...ofPlace.map(({ lastAt }) => lastAt))).toISOString();
      const times = { firstSeenAt: at, lastSeenAt: at };
      return { name: environment, isProduction: false, enabled: false, ...times, yes: null, no: null };
    }),
    applications: [...new Set(reports.map(({ appName }) => appName))].sort(),
    dependents: [],
  };
}

const columns = [
  ...['project', 'name', 'type', 'reason', 'since', 'days', 'keep', 'lastSeenAt'],
  ...['environments', 'applications', 'dependents', 'advice'],
];

/** Includes the names of the columns. The items of a list are separated by spaces. */
export function tableOf(findings: readonly WireStaleFinding[]): readonly (readonly string[])[] {
  const rows = findings.map(({ environments, applications, dependents, ...one }) => [
    ...[one.project ?? '', one.name, one.type ?? '', one.reason, one.since, `${one.days}`, `${one.keep ?? ''}`],
    environments
      .map(({ lastSeenAt }) => lastSeenAt)
      .toSorted()
      .at(-1) ?? '',
    environments.map(({ name }) => name).join(' '),
    applications.join(' '),
    dependents.join(' '),
    one.advice,
  ]);
  return [columns, ...rows];
}
