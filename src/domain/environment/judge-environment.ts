/** The verdict on an environment: its status. */

import type { Ref } from '../../model/object.ts';
import type { Environment, EnvironmentStatus } from '../../schema/environment.ts';
import { wireNameOf } from '../identity/names.ts';
import { defectFindings, judged, nameConflict } from '../judgement/findings.ts';
import type { Verdict } from '../judgement/verdict.ts';
import type { CloneReport } from './clone-progress.ts';

export interface EnvironmentUse {
  /** Projects that use it. */
  readonly projects: number;
  /** API tokens for it. */
  readonly apiTokens: number;
  /** Flags that are on in it. */
  readonly enabledFlags: number;
}

export interface EnvironmentInContext {
  readonly environment: Environment;
  /** The older environment that owns the wire name, if there is one. */
  readonly conflictingOwner: Ref | undefined;
  readonly use: EnvironmentUse;
  /** The progress of the clone, if the spec requests one. */
  readonly clone: CloneReport;
}

/** `now` in ms since 1970. */
export function judgeEnvironment(
  { environment, conflictingOwner, use, clone }: EnvironmentInContext,
  now: number,
): Verdict<EnvironmentStatus> {
  const conflict = conflictingOwner ? [nameConflict('environment', wireNameOf(environment), conflictingOwner)] : [];
  const findings = [...defectFindings(environment.defects), ...conflict, ...clone.findings];
  return {
    status: {
      ...judged({ object: environment, findings, now }),
      ...(clone.status && { clone: clone.status }),
      projectCount: use.projects,
      apiTokenCount: use.apiTokens,
      enabledToggleCount: use.enabledFlags,
    },
    ...(clone.recheckInMs !== undefined && { recheckInMs: clone.recheckInMs }),
  };
}
