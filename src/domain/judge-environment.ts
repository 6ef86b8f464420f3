/** The verdict on an environment: its status. */
import type { Environment, EnvironmentStatus } from '../schema/environment.ts';
import type { Ref } from '../schema/object.ts';
import type { CloneReport } from './clone-progress.ts';
import { defectFindings, judged, nameConflict } from './findings.ts';
import { wireNameOf } from './names.ts';
import type { Verdict } from './verdict.ts';

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
  /** The older environment that holds the wire name, if there is one. */
  readonly rival: Ref | undefined;
  readonly use: EnvironmentUse;
  /** How far the clone is that it may ask for. */
  readonly clone: CloneReport;
}

/** `now` in ms since 1970. */
export function judgeEnvironment(
  { environment, rival, use, clone }: EnvironmentInContext,
  now: number,
): Verdict<EnvironmentStatus> {
  const conflict = rival ? [nameConflict('environment', wireNameOf(environment), rival)] : [];
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
