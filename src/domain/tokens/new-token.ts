/** The rules for a new API token. */
import type { ApiTokenSpec } from '../../schema/api-token.ts';

export const creatableTypes = ['admin', 'client', 'frontend'] as const;
export type CreatableType = (typeof creatableTypes)[number];

export interface WantedToken {
  readonly type: CreatableType;
  /** Null or `*` for an admin token. */
  readonly environment: string | null;
  /** Undefined, or only `*`: all projects. */
  readonly projects: readonly string[] | undefined;
  /** A time with any offset; undefined: the token never expires. */
  readonly expiresAt: string | undefined;
}

/** The existing objects that the rules for a new token need. */
export interface TokenContext {
  readonly isProject: (id: string) => boolean;
  readonly isEnvironment: (name: string) => boolean;
  /** In ms since 1970. */
  readonly now: number;
}

/** `complaint` completes a sentence that begins with the field. */
export interface TokenComplaint {
  readonly field: 'environment' | 'projects' | 'expiresAt';
  readonly complaint: string;
  readonly value: unknown;
}

export function complaintsAbout(wanted: WantedToken, context: TokenContext): readonly TokenComplaint[] {
  const { expiresAt } = wanted;
  const isPast = expiresAt !== undefined && Date.parse(expiresAt) <= context.now;
  return [
    ...(wanted.type === 'admin' ? aboutAdmin(wanted) : aboutScope(wanted, context)),
    ...(isPast ? [{ field: 'expiresAt', complaint: 'must be in the future.', value: expiresAt } as const] : []),
  ];
}

function aboutAdmin({ environment, projects }: WantedToken): readonly TokenComplaint[] {
  const complaint = 'must be left out, or *: an admin token is for everything.';
  return [
    ...(environment === null || environment === '*'
      ? []
      : [{ field: 'environment', complaint, value: environment } as const]),
    ...(isAll(projects) ? [] : [{ field: 'projects', complaint, value: projects } as const]),
  ];
}

function aboutScope(wanted: WantedToken, { isProject, isEnvironment }: TokenContext): readonly TokenComplaint[] {
  const { type, environment, projects = [] } = wanted;
  const complaint = `must be the name of the environment that the ${type} token is for.`;
  return [
    ...(environment !== null && isEnvironment(environment)
      ? []
      : [{ field: 'environment', complaint, value: environment } as const]),
    ...(isAll(wanted.projects) ? [] : aboutProjects(projects, isProject)),
  ];
}

function aboutProjects(projects: readonly string[], isProject: TokenContext['isProject']): readonly TokenComplaint[] {
  if (projects.length === 0) {
    const complaint = 'must not be empty: leave it out for all projects.';
    return [{ field: 'projects', complaint, value: projects }];
  }
  const complaint = 'must hold ids of projects, or * alone for all.';
  return projects.filter((id) => !isProject(id)).map((value) => ({ field: 'projects', complaint, value }));
}

/** The spec of a token without complaints. `*` is stored as absent. */
export function specOfToken({ type, environment, projects, expiresAt }: WantedToken): ApiTokenSpec {
  return {
    type,
    ...(type !== 'admin' && environment !== null && { environment }),
    ...(type !== 'admin' && !isAll(projects) && { projects: [...new Set(projects)] }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

/** Whether the list stands for all projects. `*` in addition to other projects does not. */
function isAll(projects: readonly string[] | undefined): boolean {
  return projects === undefined || (projects.length === 1 && projects[0] === '*');
}
