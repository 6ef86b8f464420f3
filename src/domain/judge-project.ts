/** The verdict on a project: its status, and when time alone may change it. */
import type { Environment } from '../schema/environment.ts';
import type { Ref } from '../schema/object.ts';
import type { Project, ProjectStatus } from '../schema/project.ts';
import { defectFindings, type Finding, judged } from './findings.ts';
import { isOwner, memberFindings, memberIdsOf, membersOf, type People } from './members.ts';
import type { NameRival } from './name-claims.ts';
import { nameDuplicated, nameTaken } from './name-findings.ts';
import { matchesNaming } from './naming-pattern.ts';
import type { ProjectSummary } from './project-summary.ts';
import type { Verdict } from './verdict.ts';

export interface ProjectInContext {
  readonly project: Project;
  /** Who has the wire name instead of the project, if anybody has. */
  readonly rival: NameRival | undefined;
  /** Other projects of this name, which are not in effect. */
  readonly duplicates?: readonly Ref[];
  readonly everyEnvironment: ReadonlyMap<string, Environment>;
  readonly people: People;
  readonly summary: ProjectSummary;
}

type Check = (context: ProjectInContext) => readonly Finding[];

const checks: readonly Check[] = [
  ({ project }) => defectFindings(project.defects),
  ({ project, rival }) => nameTaken('project', project, rival),
  ({ project, duplicates = [] }) => nameDuplicated('project', project, duplicates),
  environmentsExist,
  namingPatternWorks,
  ({ project, people }) => memberFindings(project, people),
  someoneOwnsIt,
];

/** `now` in ms since 1970. */
export function judgeProject(context: ProjectInContext, now: number): Verdict<ProjectStatus> {
  const { project, people, summary } = context;
  const findings = checks.flatMap((check) => check(context));
  const memberIds = memberIdsOf(project, people);
  const status: ProjectStatus = {
    ...judged({ object: project, findings, now }),
    flags: summary.flags,
    members: membersOf(project, people).length,
    ...(Object.keys(memberIds).length > 0 && { memberIds }),
    health: summary.health,
  };
  const changesWithTime = Number.isFinite(summary.validUntil);
  return { status, ...(changesWithTime && { recheckInMs: summary.validUntil - now }) };
}

function environmentsExist({ project, everyEnvironment }: ProjectInContext): readonly Finding[] {
  return (project.spec.environments ?? [])
    .filter((name) => !everyEnvironment.has(name))
    .map((name) => ({
      severity: 'Error',
      path: ['environments'],
      reason: 'EnvironmentNotFound',
      message: `there is no environment "${name}": create it or take it off the list`,
    }));
}

function namingPatternWorks({ project }: ProjectInContext): readonly Finding[] {
  const pattern = project.spec.flagNaming?.pattern;
  if (pattern === undefined || matchesNaming(pattern, '') !== undefined) return [];
  const message = `${pattern} is not a regular expression that RE2 accepts, so names are not checked`;
  return [{ severity: 'Error', path: ['flagNaming', 'pattern'], reason: 'InvalidNamingPattern', message }];
}

function someoneOwnsIt({ project, people }: ProjectInContext): readonly Finding[] {
  const isEmpty = Object.keys(project.spec.members ?? {}).length === 0;
  if (isEmpty || membersOf(project, people).some(isOwner)) return [];
  const message = 'the project has members and none of them is owner: give one the role owner';
  return [{ severity: 'Warning', path: ['members'], reason: 'NoOwner', message }];
}
