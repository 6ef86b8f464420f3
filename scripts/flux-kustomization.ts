/** Writes the Kustomization that shows Flux what the health of each kind is. */
import { stringify } from 'yaml';
import { API_VERSION } from '../src/schema/kind.ts';
import { kinds } from '../src/schema/kinds.ts';

const isTrue = (type: string) => `status.conditions.exists(c, c.type == '${type}' && c.status == 'True')`;

/**
 * Flux itself compares status.observedGeneration first. Of an object without any status it can say nothing, as CEL has
 * no word for a missing field at the top; that counts as unknown, and it waits.
 */
const expressions = {
  inProgress: `!has(status.observedGeneration) || !has(status.conditions) || ${isTrue('Reconciling')}`,
  failed: isTrue('Stalled'),
  current: isTrue('Ready'),
};

/** The text of config/flux/kustomization.yaml. */
export function fluxKustomization(): string {
  const kustomization = {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'flags', namespace: 'flux-system' },
    spec: {
      interval: '10m',
      timeout: '2m',
      sourceRef: { kind: 'GitRepository', name: 'flags' },
      path: './flags',
      prune: true,
      wait: true,
      healthCheckExprs: kinds.map(({ kind }) => ({ apiVersion: API_VERSION, kind, ...expressions })),
    },
  };
  return stringify(kustomization, { lineWidth: 0, aliasDuplicateObjects: false });
}
