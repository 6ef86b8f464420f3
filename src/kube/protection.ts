/** Whose fields are protected: managers that set them back, or stumble over them, when somebody else writes them. */
import type { FieldOwner, ObjectMetadata } from '../schema/object.ts';
import { SPEC_MANAGER, STATUS_MANAGER } from '../schema/stamp.ts';

export type IsProtected = (
  owner: Pick<FieldOwner, 'manager' | 'operation'>,
  metadata: Pick<ObjectMetadata, 'labels' | 'annotations'>,
) => boolean;

/** In place of a name: whoever applies on the server's side, but for kubectl. */
const ANY_APPLY = '@apply';

/** What the API server calls the oldest managers together once there are more than ten that do not apply. */
const ANCIENT = 'ancient-changes';

/** A label or annotation by which a tool knows what is its own, with a name of the manager as which it writes. */
const TRACKS: readonly (readonly [mark: string, manager: string])[] = [
  ['argocd.argoproj.io/tracking-id', 'argocd-controller'],
  ['argocd.argoproj.io/instance', 'argocd-controller'],
  ['kustomize.toolkit.fluxcd.io/name', 'kustomize-controller'],
  ['helm.toolkit.fluxcd.io/name', 'helm-controller'],
  ['meta.helm.sh/release-name', 'helm'],
  ['objectset.rio.cattle.io/id', 'fleetagent'],
  ['configsync.gke.io/resource-id', 'configsync'],
];

const OURS: readonly string[] = [SPEC_MANAGER, STATUS_MANAGER];

/** `names` may hold `*` for any text. */
export function protection(names: readonly string[]): IsProtected {
  const patterns = names.filter((name) => name !== ANY_APPLY).map(patternOf);
  const isNamed = (manager: string) => patterns.some((pattern) => pattern.test(manager));
  const anyApply = names.includes(ANY_APPLY);
  return ({ manager, operation }, { labels = {}, annotations = {} }) => {
    if (OURS.includes(manager)) return false;
    if (isNamed(manager)) return true;
    if (manager === ANCIENT)
      return TRACKS.some(([mark, name]) => (mark in labels || mark in annotations) && isNamed(name));
    return anyApply && operation === 'Apply' && !isKubectl(manager);
  };
}

function isKubectl(manager: string): boolean {
  return manager === 'kubectl' || manager.startsWith('kubectl-');
}

function patternOf(name: string): RegExp {
  return new RegExp(`^${name.split('*').map(RegExp.escape).join('.*')}$`, 's');
}
