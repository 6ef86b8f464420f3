/** Writes config/flux/kustomization.yaml, with the health checks of each kind for Flux. */

import { API_VERSION } from '../src/model/kind.ts';
import { writeYaml } from '../src/model/yaml/yaml.ts';
import { kinds } from '../src/schema/kinds.ts';

const isTrue = (type: string) => `status.conditions.exists(c, c.type == '${type}' && c.status == 'True')`;

/**
 * Flux finds expressions by group and kind, for objects in every version, and refuses two entries for one kind.
 *
 * Flux compares status.observedGeneration before these expressions. For an object without a status the expressions
 * fail, because CEL cannot test a missing top-level field; Flux treats that as unknown and waits.
 */
const expressions = {
  inProgress: `!has(status.observedGeneration) || !has(status.conditions) || ${isTrue('Reconciling')}`,
  failed: isTrue('Stalled'),
  current: isTrue('Ready'),
};

/** Returns the text of config/flux/kustomization.yaml. */
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
  return writeYaml(kustomization);
}
