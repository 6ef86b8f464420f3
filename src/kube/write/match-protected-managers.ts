/** Decides which field managers are protected: those that revert or fail on changes by others. */
import { isKubectl } from '../../model/field-owner.ts';
import type { FieldOwner, ObjectMetadata } from '../../model/object.ts';
import { SPEC_MANAGER, STATUS_MANAGER } from '../../schema/stamp.ts';

export type IsProtected = (
  owner: Pick<FieldOwner, 'manager' | 'operation'>,
  metadata: Pick<ObjectMetadata, 'labels' | 'annotations'>,
) => boolean;

/** Pattern for all managers that use server-side apply, except kubectl. */
const ANY_APPLY = '@apply';

/** The name under which the API server merges the oldest Update entries beyond ten. */
const ANCIENT = 'ancient-changes';

/** Tracking labels and annotations of tools, with the field manager of the tool. */
const TRACKING: readonly (readonly [key: string, manager: string])[] = [
  ['argocd.argoproj.io/tracking-id', 'argocd-controller'],
  ['argocd.argoproj.io/instance', 'argocd-controller'],
  ['kustomize.toolkit.fluxcd.io/name', 'kustomize-controller'],
  ['helm.toolkit.fluxcd.io/name', 'helm-controller'],
  ['meta.helm.sh/release-name', 'helm'],
  ['objectset.rio.cattle.io/id', 'fleetagent'],
  ['configsync.gke.io/resource-id', 'configsync'],
];

const OURS: readonly string[] = [SPEC_MANAGER, STATUS_MANAGER];

/** `names` may contain `*` as a wildcard. */
export function matchProtectedManagers(names: readonly string[]): IsProtected {
  const patterns = names.filter((name) => name !== ANY_APPLY).map(patternOf);
  const isNamed = (manager: string) => patterns.some((pattern) => pattern.test(manager));
  const anyApply = names.includes(ANY_APPLY);
  return ({ manager, operation }, { labels = {}, annotations = {} }) => {
    if (OURS.includes(manager)) return false;
    if (isNamed(manager)) return true;
    if (manager === ANCIENT)
      return TRACKING.some(([key, name]) => (key in labels || key in annotations) && isNamed(name));
    return anyApply && operation === 'Apply' && !isKubectl(manager);
  };
}

function patternOf(name: string): RegExp {
  return new RegExp(`^${name.split('*').map(RegExp.escape).join('.*')}$`, 's');
}
