/** Writes the switch of a flag in an environment. */
import { api, checked } from '../api.ts';
import { endpoint, PATHS } from '../editor/flag-paths.ts';
import type { EnvironmentPlace, FeaturePlace } from '../feature/place.ts';
import { because } from '../write/bypass.ts';

/** The endpoints as the permissions of a user list them. */
export const SWITCH_ENDPOINTS = [PATHS.on, PATHS.off].map((path) => endpoint('POST', path));
export const HAND_OVER_ENDPOINT = endpoint('POST', PATHS.ownership);
/** What it takes to switch a flag on that has no strategy. */
export const START_ENDPOINTS = [PATHS.strategies, PATHS.on].map((path) => endpoint('POST', path));

export interface WantedSwitch {
  readonly isOn: boolean;
  /** Whether to take the field from its owner. */
  readonly isForced?: boolean;
  /** Whether to ask for approval, if the change needs it. */
  readonly isAsking?: boolean;
  /** Whether nothing is written: the API only says whether it would refuse. */
  readonly isDryRun?: boolean;
  /** Why the change is made. */
  readonly reason?: string | undefined;
}

export async function writeSwitch(
  path: EnvironmentPlace,
  { isOn, isForced, isAsking, isDryRun, reason }: WantedSwitch,
): Promise<void> {
  const params = {
    path,
    query: {
      ...(isForced && { force: true }),
      ...(isAsking && { changeRequest: true }),
      ...(isDryRun && { dryRun: true }),
      ...because(reason),
    },
  };
  await checked(
    isOn ? api.POST(PATHS.on, { params, parseAs: 'text' }) : api.POST(PATHS.off, { params, parseAs: 'text' }),
  );
}

interface WantedStart extends Pick<WantedSwitch, 'reason'> {
  /** The share of the users. */
  readonly percent: number;
}

/** Adds a strategy for a share of the users, and switches the flag on. */
export async function startFor(path: EnvironmentPlace, { percent, reason }: WantedStart): Promise<void> {
  const { featureName: groupId } = path;
  const gradual = { name: 'flexibleRollout', parameters: { rollout: percent, stickiness: 'default', groupId } };
  await checked(
    api.POST(PATHS.strategies, {
      params: { path, query: because(reason) },
      body: percent === 100 ? { name: 'default' } : gradual,
      parseAs: 'text',
    }),
  );
  await writeSwitch(path, { isOn: true, reason });
}

/** Makes Vexil another owner of the switch. No value changes. */
export function handOver({ environment, ...flag }: EnvironmentPlace): Promise<void> {
  return handOverFields(flag, [`spec.environments.${environment}.enabled`]);
}

/** Makes Vexil another owner of any fields of the flag. */
export async function handOverFields(
  { projectId, featureName }: FeaturePlace,
  fields: readonly string[],
): Promise<void> {
  const body = { fields: [...fields] };
  const params = { path: { projectId, featureName } };
  await checked(api.POST(PATHS.ownership, { params, body }));
}
