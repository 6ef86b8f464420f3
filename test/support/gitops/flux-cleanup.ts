/**
 * The changes that kustomize-controller makes before it applies: it takes over fields that kubectl owns, including
 * those that were changed by hand.
 */
import { LAST_APPLIED } from '../create-as-kubectl.ts';
import type { Stored } from '../stored.ts';

/** The annotation, on an object or in its manifest, that selects how Flux applies it. */
export const FLUX_MODE = 'kustomize.toolkit.fluxcd.io/ssa';

/** Prefixes of the names of managers that Flux takes over. */
const TAKEN_OVER = ['kubectl', 'before-first-apply', 'kustomize-controller'] as const;

/** Returns a JSON Patch; empty if there is nothing to take over. */
export function fluxCleanup({ metadata }: Stored, manager: string): readonly object[] {
  const { annotations = {}, managedFields } = metadata;
  if (annotations[FLUX_MODE] === 'Merge') return [];
  const applied =
    LAST_APPLIED in annotations
      ? [{ op: 'remove', path: `/metadata/annotations/${LAST_APPLIED.replaceAll('/', '~1')}` }]
      : [];
  return [...applied, ...takeOver(managedFields, manager)];
}

function takeOver(entries: readonly Stored[], manager: string): readonly object[] {
  const own = entries.find((one) => one.manager === manager && one.operation === 'Apply');
  const taken = entries.filter((one) => one !== own && isTaken(one));
  const [first, ...rest] = own ? [own, ...taken] : taken;
  if (taken.length === 0) return [];
  const fieldsV1 = rest.reduce((sum, one) => united(sum, one.fieldsV1), first.fieldsV1);
  const others = entries.filter((one) => one !== own && !taken.includes(one));
  const value = [...others, { ...first, manager, operation: 'Apply', fieldsV1 }];
  return [{ op: 'replace', path: '/metadata/managedFields', value }];
}

function isTaken({ manager, operation, subresource }: Stored): boolean {
  if (subresource) return false;
  if (operation === 'Apply') return manager.startsWith('kubectl');
  return TAKEN_OVER.some((name) => manager.startsWith(name));
}

function united(one: Stored, other: Stored): Stored {
  const both = Object.keys(other).map((key) => [key, key in one ? united(one[key], other[key]) : other[key]]);
  return { ...one, ...Object.fromEntries(both) };
}
