/** What happens to projects: to themselves, their members, their environments. */
import { compareText, wireNameOf } from '../domain/names.ts';
import type { Project } from '../schema/project.ts';
import type { Telling } from './derive-kind.ts';
import type { Shapes } from './derive-shapes.ts';
import { isSameBut, nowhere, type Place, tell } from './derive-told.ts';
import type { Told } from './entry.ts';

export const projectLifecycle = {
  created: 'project-created',
  updated: 'project-updated',
  deleted: 'project-deleted',
} as const;

export function projectTelling(shapes: Shapes): Telling<Project> {
  return {
    types: () => projectLifecycle,
    place: placeOf,
    shape: shapes.project,
    alsoNew: (after) => tellMembers(shapes, undefined, after),
    changed: (before, after) => [
      ...tellProject(shapes, before, after),
      ...tellEnvironments(before, after),
      ...tellMembers(shapes, before, after),
    ],
  };
}

function placeOf(project: Project): Place {
  return { ...nowhere, project: wireNameOf(project) };
}

/** Where both list environments, those are told one by one; else the project shows from which to which it went. */
function tellProject({ project }: Shapes, before: Project, after: Project): readonly Told[] {
  const [old, next] = [project(before), project(after)];
  const bothList = before.spec.environments && after.spec.environments;
  if (bothList && isSameBut('environments', old, next)) return [];
  return [tell(projectLifecycle.updated, placeOf(after), { data: next, preData: old })];
}

function tellEnvironments({ spec: old }: Project, after: Project): readonly Told[] {
  const [was, is] = [old.environments, after.spec.environments];
  if (!was || !is) return [];
  const told = (type: 'project-environment-added' | 'project-environment-removed') => (environment: string) =>
    tell(type, { ...placeOf(after), environment });
  return [
    ...is.filter((name) => !was.includes(name)).map(told('project-environment-added')),
    ...was.filter((name) => !is.includes(name)).map(told('project-environment-removed')),
  ];
}

/** By username. */
function tellMembers(shapes: Shapes, before: Project | undefined, after: Project): readonly Told[] {
  const [old, next] = [rolesOf(before), rolesOf(after)];
  const usernames = [...new Set([...old.keys(), ...next.keys()])].sort(compareText);
  return usernames.flatMap((subject) => {
    const shape = (role: string | undefined) => (role === undefined ? undefined : shapes.member(subject, role));
    const [preData, data] = [shape(old.get(subject)), shape(next.get(subject))];
    const matter = { subject, ...(data && { data }), ...(preData && { preData }) };
    if (!preData) return [tell('project-user-added', placeOf(after), matter)];
    if (!data) return [tell('project-user-removed', placeOf(after), matter)];
    return [tell('project-user-role-changed', placeOf(after), matter)];
  });
}

/** A username may be that of a member that every object has. */
function rolesOf(project: Project | undefined): ReadonlyMap<string, string> {
  const members = Object.entries(project?.spec.members ?? {});
  return new Map(members.flatMap(([username, role]) => (role === null ? [] : [[username, role] as const])));
}
