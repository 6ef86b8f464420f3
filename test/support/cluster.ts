/** The control plane that all test files of a run share. */
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { accessTo, type ControlPlaneAccess, type ControlPlaneAddress, keepConnected } from './control-plane/access.ts';
import type { OperatorRoles } from './operator-roles.ts';

export interface Cluster extends ControlPlaneAddress, ControlPlaneAccess {
  /** Creates a namespace that no other test uses, and returns its name. */
  freshNamespace(prefix: string): Promise<string>;
  /** The rights of operators: the roles of the chart. */
  readonly roles: OperatorRoles;
}

/** Reaches the shared control plane from a test file. */
export function sharedCluster(): Cluster {
  const address = inject('controlPlane');
  const access = accessTo(address, keepConnected);
  return {
    ...address,
    ...access,
    roles: inject('operatorRoles'),
    async freshNamespace(prefix) {
      const name = `${prefix}-${randomBytes(4).toString('hex')}`;
      await access.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }]);
      return name;
    },
  };
}
