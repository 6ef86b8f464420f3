/** The verdict on a project: its status, and the time until the verdict may change without an event. */

import { patternSize } from '../../evaluation/patterns.ts';
import type { Ref } from '../../model/object.ts';
import type { SettingsGrant } from '../../schema/approvals.ts';
import type { Environment } from '../../schema/environment.ts';
import type { Project, ProjectStatus } from '../../schema/project.ts';
import { MAX_NAMING_SIZE, matchesNaming } from '../identity/naming-pattern.ts';
import { defectFindings, type Finding, judged } from '../judgement/findings.ts';
import type { Granted, Verdict } from '../judgement/verdict.ts';
import type { NameConflictWith } from '../name-claims/name-claims.ts';
import { nameDuplicated, nameTaken } from '../name-claims/name-findings.ts';
import { isOwner, memberFindings, memberIdsOf, membersOf, type People } from './members.ts';
import type { ProjectSummary } from './project-summary.ts';

export interface ProjectInContext {
  readonly project: Project;
  /** The owner of the wire name, if it is not this project. */
  readonly conflictingOwner: NameConflictWith | undefined;
  /** Other projects with the same name, which are not in effect. */
  readonly duplicates?: readonly Ref[];
  readonly everyEnvironment: ReadonlyMap<string, Environment>;
  readonly people: People;
  readonly summary: ProjectSummary;
  /** Undefined: no request is about the project. */
  readonly granted?: Granted<SettingsGrant> | undefined;
}

type Check = (context: ProjectInContext) => readonly Finding[];

const checks: readonly Check[] = [
  ({ project }) => defectFindings(project.defects),
  ({ project, conflictingOwner }) => nameTaken('project', project, conflictingOwner),
  ({ project, duplicates = [] }) => nameDuplicated('project', project, duplicates),
  environmentsExist,
  namingPatternWorks,
  ({ project, people }) => memberFindings(project, people),
  hasOwner,
];

/** `now` in ms since 1970. */
export function judgeProject(context: ProjectInContext, now: number): Verdict<ProjectStatus> {
  const { project, people, summary, granted } = context;
  const findings = checks.flatMap((check) => check(context));
  const memberIds = memberIdsOf(project, people);
  const status: ProjectStatus = {
    ...judged({ object: project, findings, now }),
    flags: summary.flags,
    members: membersOf(project, people).length,
    ...(Object.keys(memberIds).length > 0 && { memberIds }),
    health: summary.health,
    ...(granted && granted.grants.length > 0 && { grants: granted.grants }),
  };
  const changesAt = Math.min(summary.validUntil, granted?.nextAt ?? Number.POSITIVE_INFINITY);
  return { status, ...(Number.isFinite(changesAt) && { recheckInMs: Math.max(0, changesAt - now) }) };
}

function environmentsExist({ project, everyEnvironment }: ProjectInContext): readonly Finding[] {
  return (project.spec.environments ?? [])
    .filter((name) => !everyEnvironment.has(name))
    .map((name) => ({
      severity: 'Error',
      path: ['environments'],
      reason: 'EnvironmentNotFound',
      message: `there is no environment "${name}": create it or remove it from the list`,
    }));
}

function namingPatternWorks({ project }: ProjectInContext): readonly Finding[] {
  const pattern = project.spec.flagNaming?.pattern;
  if (pattern === undefined || matchesNaming(pattern, '') !== undefined) return [];
  const size = patternSize(pattern);
  const problem =
    size > MAX_NAMING_SIZE
      ? `has the size ${size} with its repetitions, and at most ${MAX_NAMING_SIZE} is allowed`
      : 'is not a regular expression that RE2 accepts';
  const message = `${pattern} ${problem}, so names are not checked`;
  return [{ severity: 'Error', path: ['flagNaming', 'pattern'], reason: 'InvalidNamingPattern', message }];
}

function hasOwner({ project, people }: ProjectInContext): readonly Finding[] {
  const isEmpty = Object.keys(project.spec.members ?? {}).length === 0;
  if (isEmpty || membersOf(project, people).some(isOwner)) return [];
  const message = 'the project has members and none of them is owner: give one the role owner';
  return [{ severity: 'Warning', path: ['members'], reason: 'NoOwner', message }];
}
