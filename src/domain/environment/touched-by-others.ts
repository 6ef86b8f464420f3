/**
 * What projects and environments decide beside flags: what is in effect in an environment, and the rules for changes
 * there. config/admission/environment-changes.yaml applies the same to every client of the API server.
 */
import { isDeepStrictEqual } from 'node:util';
import type { EnvironmentSpec } from '../../schema/environment.ts';
import type { ProjectSpec } from '../../schema/project.ts';
import { own, type SpecWrite } from '../flag/edit/environments-touched.ts';

/**
 * The environments, of those given, that the changed project begins or ceases to use. A new project has no flags yet.
 */
export function usesThatChange({ before, after }: SpecWrite<ProjectSpec>, names: readonly string[]): readonly string[] {
  if (!before) return [];
  const uses = (spec: ProjectSpec, name: string) => !spec.environments || spec.environments.includes(name);
  return names.filter((name) => after !== undefined && uses(before, name) !== uses(after, name));
}

/** The environments, of those given, for which the change of a project needs approval. */
export function guardedByProject(write: SpecWrite<ProjectSpec>, names: readonly string[]): readonly string[] {
  return gainsApprovers(write) ? names : usesThatChange(write, names);
}

/** Whether the change of an environment needs approval there. */
export function needsApprovalThere(write: SpecWrite<EnvironmentSpec>): boolean {
  return switchesEnvironment(write) || changesRules(write);
}

/** The built-in roles of members permit no approvals. */
const HARMLESS: ReadonlySet<string> = new Set(['owner', 'member']);

/** Whether members gain a role that may permit approvals. */
export function gainsApprovers({ before, after }: SpecWrite<ProjectSpec>): boolean {
  return Object.entries(after?.members ?? {}).some(
    ([name, role]) => role !== null && !HARMLESS.has(role.toLowerCase()) && own(before?.members ?? {}, name) !== role,
  );
}

/** Whether flags of projects that list no environments come into effect or cease to be. */
export function switchesEnvironment({ before, after }: SpecWrite<EnvironmentSpec>): boolean {
  return before !== undefined && after !== undefined && (before.enabled === false) !== (after.enabled === false);
}

/** Whether the rules for changes in the environment differ. */
function changesRules({ before, after }: SpecWrite<EnvironmentSpec>): boolean {
  if (!before) return false;
  if (!after) return true;
  return (
    !isDeepStrictEqual(before.approvals, after.approvals) ||
    !isDeepStrictEqual(before.freezes ?? undefined, after.freezes ?? undefined) ||
    (before.protected === true && after.protected !== true)
  );
}
