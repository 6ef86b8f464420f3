/** Flags with their use, for the rules that judge them. */
import type { EnvironmentUsage, FlagInUse } from '../../../../src/domain/usage/flag-in-use.ts';
import type { StaleDays } from '../../../../src/domain/usage/stale-finding.ts';
import { environmentObject, type Facts, flagObject } from '../objects.ts';

const DAY_MS = 86_400_000;
export const NOW = Date.parse('2026-06-01T12:00:00Z');
export const staleDays: StaleDays = {
  release: 30,
  experiment: 30,
  operational: 30,
  'kill-switch': 90,
  permission: 90,
};

export const daysAgo = (days: number) => NOW - days * DAY_MS;

const rollout = (share: number) => ({ name: 'flexibleRollout', parameters: { rollout: share } });
/** The spec of a flag that is on in production for this share of the users. */
export const onFor = (share: number) => ({
  environments: { production: { enabled: true, strategies: { one: rollout(share) } } },
});

const environments = [
  environmentObject('home/development', { type: 'development' }),
  environmentObject('home/production', { type: 'production' }),
];

/** The first and last day, in days before now. */
type Days = readonly [first: number, last: number];

/** The use of a flag in an environment with these answers. */
export function asked(environment: string, { yes, no }: { readonly yes?: Days; readonly no?: Days }): EnvironmentUsage {
  const [first, last] = [Math.max(...[yes, no].map((one) => one?.[0] ?? 0)), Math.min(...[yes, no].map(lastOf))];
  return {
    environment,
    firstAt: daysAgo(first),
    lastAt: daysAgo(last),
    firstYesAt: yes && daysAgo(yes[0]),
    lastYesAt: yes && daysAgo(yes[1]),
    firstNoAt: no && daysAgo(no[0]),
    lastNoAt: no && daysAgo(no[1]),
    appNames: last < 1 ? ['shop', 'web'] : [],
  };
}

function lastOf(days: Days | undefined): number {
  return days?.[1] ?? Number.POSITIVE_INFINITY;
}

interface Circumstances extends Facts {
  readonly usage?: readonly EnvironmentUsage[];
  readonly dependents?: readonly string[];
}

/** A flag that was created 100 days ago. */
export function subject(spec: object, { usage = [], dependents = [], ...facts }: Circumstances = {}): FlagInUse {
  const creationTimestamp = `${new Date(daysAgo(100)).toISOString().slice(0, 19)}Z`;
  const flag = flagObject('home/flag', spec, { creationTimestamp, ...facts });
  const isOn = flag.spec.environments?.['production']?.enabled === true && flag.spec.archived !== true;
  return { flag, environments, enabledIn: new Set(isOn ? ['production'] : []), usage, dependents };
}

export const rules = { measured: { since: daysAgo(200), until: NOW }, staleDays, now: NOW };
