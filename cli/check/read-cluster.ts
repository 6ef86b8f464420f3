/** Reads the cluster for checks. */
import { isClusterError } from '../../src/errors.ts';
import { type Located, resourcePath } from '../../src/kube/api/paths.ts';
import { recordOf } from '../../src/model/json.ts';
import { type ClusterConnection, listAt, readObject } from '../connection/cluster.ts';
import { itemsOfPages, sizeBound } from '../connection/pages.ts';
import type { CheckedCluster, OperatorAccess, ReadObject } from './check.ts';

const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
/** More objects of a list are not read. */
const MAX_LISTED = 20_000;

type CheckedConnection = Pick<ClusterConnection, 'transport' | 'place'>;

/** `user` is the name of the operator's ServiceAccount as a user. */
export function checkedCluster(connection: CheckedConnection, user: () => string): CheckedCluster {
  return {
    version: async () => recordOf(await connection.transport.request({ method: 'GET', path: '/version' })),
    async get(place) {
      const found = await readObject(connection, place);
      return found === undefined ? undefined : recordOf(found);
    },
    exists: async (place) => (await readObject(connection, place, METADATA)) !== undefined,
    list: (kind, namespace) => listAll(connection, kind, namespace).catch(noneIfUnknown),
    async mayOperator(access) {
      const body = reviewOf(user(), access);
      const path = resourcePath({ plural: 'subjectaccessreviews', root: 'apis/authorization.k8s.io/v1' });
      const answer = recordOf(await connection.transport.request({ method: 'POST', path, body }));
      return recordOf(answer['status'])['allowed'] === true;
    },
  };
}

async function listAll(
  connection: CheckedConnection,
  kind: Located,
  namespace: string | undefined,
): Promise<readonly ReadObject[]> {
  const { plural } = kind;
  const count = sizeBound(`${connection.place}, ${plural}`);
  const objects: ReadObject[] = [];
  for await (const object of itemsOfPages(listAt(connection, resourcePath(kind, namespace), plural))) {
    count(JSON.stringify(object).length);
    objects.push(recordOf(object));
    if (objects.length === MAX_LISTED) break;
  }
  return objects;
}

/** A kind that the cluster does not know has no objects. */
function noneIfUnknown(error: unknown): readonly ReadObject[] {
  if (isClusterError(error, 'not-found')) return [];
  throw error;
}

function reviewOf(user: string, { group = 'vexil.dev', resource, ...rest }: OperatorAccess): object {
  const [, , namespace = ''] = user.split(':');
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const [name = '', subresource] = resource.split('/');
  const resourceAttributes = { group, resource: name, ...(subresource !== undefined && { subresource }), ...rest };
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, groups, resourceAttributes },
  };
}
