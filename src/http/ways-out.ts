/** What a caller can do about a field that somebody else holds. */
import { projectIdOf } from '../domain/flag-values.ts';
import { wireNameOf } from '../domain/names.ts';
import { TAKE_OVER } from '../domain/takes-over.ts';
import type { HeldField } from '../kube/held-fields.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';

const FORCE =
  'Or repeat the request with ?force=true: then Flux and Argo CD set it back at their next sync, and the next "helm upgrade" or "kubectl apply --server-side" stops with a conflict.';

export function waysOutOf(_: unknown, held: readonly HeldField[]): readonly string[] {
  const managers = [...new Set(held.flatMap(({ owners }) => owners.map(({ manager }) => `"${manager}"`)))];
  return [`Change it at its source, which ${managers.join(' or ')} applies.`, FORCE];
}

export function waysOutOfProject(_: unknown, held: readonly HeldField[]): readonly string[] {
  return [...waysOutOf(_, held), TAKE_OVER];
}

export function waysOutOfFlag(flag: FeatureFlag, held: readonly HeldField[]): readonly string[] {
  return [...waysOutOf(flag, held), handOver(flag, held), TAKE_OVER];
}

const MOST_NAMED = 5;

/** The order matters: what nobody else holds goes when it is dropped from Git. */
function handOver(flag: FeatureFlag, held: readonly HeldField[]): string {
  const clientSide = held.flatMap(({ owners }) => owners).find(({ operation }) => operation === 'Update');
  if (clientSide) {
    return `It cannot be handed over while "${clientSide.manager}" applies on the client's side, which takes away what is dropped from its source whoever else holds it: let it use server-side apply first.`;
  }
  const fields = held.slice(0, MOST_NAMED).map(({ path }) => path);
  const body = JSON.stringify({ fields });
  const all = held.length > MOST_NAMED ? ' and the others' : '';
  return `Or hand it over, in this order: POST ${ownershipPath(flag)} with ${body}${all}, then drop it from the source (dropped first, it is gone). It stays refused until something else of this flag changes there, too, as Flux skips an apply that changes no value.`;
}

function ownershipPath(flag: FeatureFlag): string {
  const [project, name] = [projectIdOf(flag), wireNameOf(flag)].map(encodeURIComponent);
  return `/api/admin/projects/${project}/features/${name}/ownership`;
}
