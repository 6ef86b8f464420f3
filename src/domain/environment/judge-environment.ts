/** The verdict on an environment: its status. */

import { timestampOf, timeTextOf } from '../../model/clock.ts';
import type { Ref } from '../../model/object.ts';
import type { SettingsGrant } from '../../schema/approvals.ts';
import type { Environment, EnvironmentStatus } from '../../schema/environment.ts';
import { freezeAt, nextFreezeChange } from '../freeze/freeze-in-force.ts';
import { lastFreezeMoment } from '../freeze/freeze-moments.ts';
import { isTimeZone } from '../freeze/time-in-zone.ts';
import { defectFindings, type Finding, judged, nameConflict } from '../judgement/findings.ts';
import type { Granted, Verdict } from '../judgement/verdict.ts';
import type { CloneReport } from './clone-progress.ts';

/** A clock that was set forward, or a machine that was suspended, is noticed within this time. */
const MAX_FREEZE_WAIT_MS = 30_000;

export interface EnvironmentUse {
  /** How many projects use the environment. */
  readonly projects: number;
  /** How many API tokens are for the environment. */
  readonly apiTokens: number;
  /** How many flags are on in the environment. */
  readonly enabledFlags: number;
}

export interface EnvironmentInContext {
  readonly environment: Environment;
  /** The older environment that owns the wire name, if there is one. */
  readonly conflictingOwner: Ref | undefined;
  readonly use: EnvironmentUse;
  /** The progress of the clone, if the spec requests one. */
  readonly clone: CloneReport;
  /** Undefined: no request is about the environment. */
  readonly granted?: Granted<SettingsGrant> | undefined;
}

/** `now` in ms since 1970. */
export function judgeEnvironment(
  { environment, conflictingOwner, use, clone, granted }: EnvironmentInContext,
  now: number,
): Verdict<EnvironmentStatus> {
  const conflict = nameConflict('environment', environment, conflictingOwner);
  const zones = unknownTimeZones(environment);
  const findings = [...defectFindings(environment.defects), ...conflict, ...zones, ...clone.findings];
  const frozen = conflictingOwner ? undefined : freezeAt(environment.spec, now);
  const changedByTimeAt = conflictingOwner ? undefined : timeTextOf(lastFreezeMoment(environment.spec, now));
  const nextFreezeAt = nextFreezeChange(environment.spec, now);
  const freezeInMs = nextFreezeAt && Math.min(nextFreezeAt - now, MAX_FREEZE_WAIT_MS);
  const grantInMs = granted?.nextAt === undefined ? undefined : Math.max(0, granted.nextAt - now);
  const rechecks = [clone.recheckInMs, freezeInMs, grantInMs].filter((ms) => ms !== undefined);
  return {
    status: {
      ...judged({ object: environment, findings, now }),
      ...(frozen && { freeze: { name: frozen.freeze.name, until: timestampOf(frozen.until) } }),
      ...(changedByTimeAt !== undefined && { changedByTimeAt }),
      ...(clone.status && { clone: clone.status }),
      projectCount: use.projects,
      apiTokenCount: use.apiTokens,
      enabledToggleCount: use.enabledFlags,
      ...(granted && granted.grants.length > 0 && { grants: granted.grants }),
    },
    ...(rechecks.length > 0 && { recheckInMs: Math.min(...rechecks) }),
  };
}

/** The existing zones depend on the version of the operator, so the API server cannot check them. */
function unknownTimeZones({ spec }: Environment): readonly Finding[] {
  return (spec.freezes ?? []).flatMap(({ timeZone }, index): Finding[] => {
    if (timeZone === undefined || isTimeZone(timeZone)) return [];
    const message = `there is no time zone "${timeZone}", so the freeze has no effect: name one such as Europe/Berlin`;
    return [{ severity: 'Error', path: ['freezes', `${index}`, 'timeZone'], reason: 'UnknownTimeZone', message }];
  });
}
