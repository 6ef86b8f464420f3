/** The fields of projects and environments that need approval as a whole. */
import type { Environment, EnvironmentSpec } from '../../schema/environment.ts';
import type { Project, ProjectSpec } from '../../schema/project.ts';

export interface ProjectSettings {
  /** In order; absent: all that are enabled. */
  readonly environments?: readonly string[];
  /** The role of each member. */
  readonly members: Readonly<Record<string, string>>;
}

export interface EnvironmentSettings extends Pick<EnvironmentSpec, 'freezes' | 'approvals'> {
  readonly enabled: boolean;
  readonly protected: boolean;
}

/** What a change request asks for, and what an object says, have the same fields. */
export function projectSettingsOf({
  environments,
  members,
}: Pick<Project['spec'], 'environments' | 'members'>): ProjectSettings {
  const roles = Object.entries(members ?? {}).flatMap(([name, role]) => (role === null ? [] : [[name, role] as const]));
  return { ...(environments && { environments: environments.toSorted() }), members: Object.fromEntries(roles) };
}

/** As `projectSettingsOf`. */
export function environmentSettingsOf({
  enabled,
  protected: isProtected,
  freezes,
  approvals,
}: Pick<Environment['spec'], 'enabled' | 'protected' | 'freezes' | 'approvals'>): EnvironmentSettings {
  return {
    enabled: enabled !== false,
    protected: isProtected === true,
    ...(freezes && { freezes }),
    ...(approvals && { approvals }),
  };
}

/** The spec with these settings. What stays the same stays as it is written. */
export function withProjectSettings(spec: ProjectSpec, { environments, members }: ProjectSettings): ProjectSpec {
  const { environments: listed, members: _, ...rest } = spec;
  const kept = (listed ?? []).filter((name) => environments?.includes(name));
  const added = environments?.filter((name) => !kept.includes(name)) ?? [];
  const hasMembers = spec.members !== undefined || Object.keys(members).length > 0;
  return {
    ...rest,
    ...(environments && { environments: [...kept, ...added] }),
    ...(hasMembers && { members: { ...members } }),
  };
}

/** As `withProjectSettings`. */
export function withEnvironmentSettings(
  spec: EnvironmentSpec,
  { enabled, protected: isProtected, freezes, approvals }: EnvironmentSettings,
): EnvironmentSpec {
  const { freezes: _, approvals: __, ...rest } = spec;
  return {
    ...rest,
    ...(enabled !== (spec.enabled !== false) && { enabled }),
    ...(isProtected !== (spec.protected === true) && { protected: isProtected }),
    ...(freezes && { freezes }),
    ...(approvals && { approvals }),
  };
}
