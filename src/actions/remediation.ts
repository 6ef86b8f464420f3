/** Sentences on resolving a conflict about a field that another manager owns. */
import { projectIdOf } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { TAKE_OVER } from '../domain/project/takes-over.ts';
import type { OwnedField } from '../kube/write/owned-fields.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';

const FORCE =
  'Or repeat the request with ?force=true: then Flux and Argo CD revert it at their next sync, and the next "helm upgrade" or "kubectl apply --server-side" fails with a conflict.';

export function remediationOf(_: unknown, ownedFields: readonly OwnedField[]): readonly string[] {
  const managers = [...new Set(ownedFields.flatMap(({ owners }) => owners.map(({ manager }) => `"${manager}"`)))];
  return [`Change it at its source, which ${managers.join(' or ')} applies.`, FORCE];
}

export function remediationOfProject(_: unknown, ownedFields: readonly OwnedField[]): readonly string[] {
  return [...remediationOf(_, ownedFields), TAKE_OVER];
}

export function remediationOfFlag(flag: FeatureFlag, ownedFields: readonly OwnedField[]): readonly string[] {
  return [...remediationOf(flag, ownedFields), handOver(flag, ownedFields), TAKE_OVER];
}

const MAX_NAMED = 5;

/** The order matters: a field without another owner is removed when Git drops it. */
function handOver(flag: FeatureFlag, ownedFields: readonly OwnedField[]): string {
  const clientSide = ownedFields.flatMap(({ owners }) => owners).find(({ operation }) => operation === 'Update');
  if (clientSide) {
    return `It cannot be handed over while "${clientSide.manager}" uses client-side apply, which removes fields that are dropped from its source even if other managers own them: let it use server-side apply first.`;
  }
  const fields = ownedFields.slice(0, MAX_NAMED).map(({ path }) => path);
  const body = JSON.stringify({ fields });
  const all = ownedFields.length > MAX_NAMED ? ' and the others' : '';
  return `Or hand it over, in this order: POST ${ownershipPath(flag)} with ${body}${all}, then remove it from the source (removed first, the value is lost). Writes are refused until another value of this flag changes there too, as Flux skips an apply that changes no value.`;
}

function ownershipPath(flag: FeatureFlag): string {
  const [project, name] = [projectIdOf(flag), wireNameOf(flag)].map(encodeURIComponent);
  return `/api/admin/projects/${project}/features/${name}/ownership`;
}
