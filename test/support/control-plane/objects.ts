/** Reads and writes single objects under the names that kubectl accepts. */
import type { Call } from '../../../src/kube/api/transport.ts';
import { API_VERSION } from '../../../src/model/kind.ts';
import { kinds } from '../../../src/schema/kinds.ts';
import type { Stored } from '../stored.ts';

/** `what` is like `ff/on`, `environment/production`, `configmap/vexil-ids`. Without a name it is the list of all. */
export interface Objects {
  getObject(what: string, namespace: string): Promise<Stored>;
  deleteObject(what: string, namespace: string): Promise<void>;
  /**
   * Sends a JSON Patch if the patch is an array, otherwise a merge patch. `what` may end in a subresource:
   * `ff/on/status`.
   */
  patchObject(what: string, namespace: string, patch: object): Promise<Stored>;
}

/** The calls have the permissions of the user that `request` authenticates as. */
export function objectsWith(request: (call: Call) => Promise<unknown>): Objects {
  return {
    getObject: (what, namespace) => request({ method: 'GET', path: objectPath(what, namespace) }),
    async deleteObject(what, namespace) {
      await request({ method: 'DELETE', path: objectPath(what, namespace) });
    },
    patchObject: (what, namespace, body) =>
      request({
        method: 'PATCH',
        path: objectPath(what, namespace),
        query: { fieldManager: 'kubectl-patch' },
        contentType: `application/${Array.isArray(body) ? 'json-patch' : 'merge-patch'}+json`,
        body,
      }),
  };
}

/** The path of the object at the API server. */
export function objectPath(what: string, namespace: string): string {
  const [resource = '', ...rest] = what.split('/');
  const kind = kinds.find((one) => namesOf(one).includes(resource.toLowerCase()));
  const plural = kind?.plural ?? (resource.endsWith('s') ? resource : `${resource}s`);
  const group = kind ? `/apis/${API_VERSION}` : FOREIGN[plural];
  if (group === undefined) throw new Error(`no such resource here: ${resource}`);
  return [group, 'namespaces', namespace, plural, ...rest].join('/');
}

const namesOf = ({ kind, plural, singular, shortNames }: (typeof kinds)[number]): readonly string[] => [
  ...[kind.toLowerCase(), plural, singular],
  ...shortNames,
];

/** The API path of kinds that are not Vexil's, by plural. */
const FOREIGN: Readonly<Record<string, string>> = {
  configmaps: '/api/v1',
  deployments: '/apis/apps/v1',
  events: '/apis/events.k8s.io/v1',
  jobs: '/apis/batch/v1',
  leases: '/apis/coordination.k8s.io/v1',
  persistentvolumeclaims: '/api/v1',
  secrets: '/api/v1',
  serviceaccounts: '/api/v1',
};
