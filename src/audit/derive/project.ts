/** The audit events of projects, of their members and of their environments. */

import { projectSettingsOf } from '../../domain/approval/settings.ts';
import type { AuditEvent } from '../../domain/history/entry.ts';
import { compareText, wireNameOf } from '../../domain/identity/names.ts';
import type { Project } from '../../schema/project.ts';
import { auditEvent, isSameBut, nowhere, type Place } from './audit-event.ts';
import type { EventMapping } from './kind.ts';
import type { Shapes } from './shapes.ts';
import { diffSettingsGrants } from './used-grants.ts';

const projectLifecycle = {
  created: 'project-created',
  updated: 'project-updated',
  deleted: 'project-deleted',
} as const;

export function projectMapping(shapes: Shapes): EventMapping<Project> {
  return {
    types: () => projectLifecycle,
    place: placeOf,
    shape: shapes.project,
    alsoNew: (after) => diffMembers(shapes, undefined, after),
    changed: (before, after) => [
      ...diffProject(shapes, before, after),
      ...diffEnvironments(before, after),
      ...diffMembers(shapes, before, after),
      ...diffSettingsGrants(before, after, { values: projectSettingsOf(after.spec), place: placeOf(after) }),
    ],
  };
}

function placeOf(project: Project): Place {
  return { ...nowhere, project: wireNameOf(project) };
}

/**
 * If both versions list environments, each change is one event; otherwise the event of the project shows both lists.
 */
function diffProject({ project }: Shapes, before: Project, after: Project): readonly AuditEvent[] {
  const [old, next] = [project(before), project(after)];
  const bothList = before.spec.environments && after.spec.environments;
  if (bothList && isSameBut('environments', old, next)) return [];
  return [auditEvent(projectLifecycle.updated, placeOf(after), { data: next, preData: old })];
}

function diffEnvironments({ spec: old }: Project, after: Project): readonly AuditEvent[] {
  const [was, is] = [old.environments, after.spec.environments];
  if (!was || !is) return [];
  const auditEvents = (type: 'project-environment-added' | 'project-environment-removed') => (environment: string) =>
    auditEvent(type, { ...placeOf(after), environment });
  return [
    ...is.filter((name) => !was.includes(name)).map(auditEvents('project-environment-added')),
    ...was.filter((name) => !is.includes(name)).map(auditEvents('project-environment-removed')),
  ];
}

/** Compares the members by username. */
function diffMembers(shapes: Shapes, before: Project | undefined, after: Project): readonly AuditEvent[] {
  const [old, next] = [rolesOf(before), rolesOf(after)];
  const usernames = [...new Set([...old.keys(), ...next.keys()])].sort(compareText);
  return usernames.flatMap((subject) => {
    const shape = (role: string | undefined) => (role === undefined ? undefined : shapes.member(subject, role));
    const [preData, data] = [shape(old.get(subject)), shape(next.get(subject))];
    const matter = { subject, ...(data && { data }), ...(preData && { preData }) };
    if (!preData) return [auditEvent('project-user-added', placeOf(after), matter)];
    if (!data) return [auditEvent('project-user-removed', placeOf(after), matter)];
    return [auditEvent('project-user-role-changed', placeOf(after), matter)];
  });
}

/**
 * The members by username. A Map, because a username may equal the name of a member that every JavaScript object has.
 */
function rolesOf(project: Project | undefined): ReadonlyMap<string, string> {
  const members = Object.entries(project?.spec.members ?? {});
  return new Map(members.flatMap(([username, role]) => (role === null ? [] : [[username, role] as const])));
}
