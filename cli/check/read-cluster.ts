/** Reads the cluster for checks. */
import { isClusterError } from '../../src/errors.ts';
import { readPage } from '../../src/kube/api/page.ts';
import { recordOf, recordsIn } from '../../src/model/json.ts';
import type { ClusterConnection } from '../connection/cluster.ts';
import { itemsOfPages, sizeBound } from '../connection/pages.ts';
import type { CheckedCluster, OperatorAccess, ReadObject } from './check.ts';

const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const PAGE_SIZE = 500;
/** More objects of a list are not read. */
const MAX_LISTED = 20_000;

type Connection = Pick<ClusterConnection, 'transport' | 'place'>;

/** `user` is the name of the operator's ServiceAccount as a user. */
export function checkedCluster(connection: Connection, user: () => string): CheckedCluster {
  const { transport } = connection;
  const get = async (path: string, accept?: string): Promise<ReadObject | undefined> => {
    try {
      return recordOf(await transport.request({ method: 'GET', path, accept }));
    } catch (error) {
      if (isClusterError(error, 'not-found')) return undefined;
      throw error;
    }
  };
  return {
    get,
    exists: async (path) => (await get(path, METADATA)) !== undefined,
    list: (path) => listAll(connection, path).catch((error: unknown) => noneIfUnknown(error)),
    async mayOperator(access) {
      const body = reviewOf(user(), access);
      const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
      const answer = recordOf(await transport.request({ method: 'POST', path, body }));
      return recordOf(answer['status'])['allowed'] === true;
    },
  };
}

async function listAll({ transport, place }: Connection, path: string): Promise<readonly ReadObject[]> {
  const what = path.split('/').at(-1) ?? path;
  const count = sizeBound(`${place}, ${what}`);
  const read = async (token: string | undefined) => {
    const query = { limit: PAGE_SIZE, continue: token };
    const page = readPage(await transport.request({ method: 'GET', path, query }));
    return { items: recordsIn(page.items), next: page.token };
  };
  const objects: ReadObject[] = [];
  for await (const object of itemsOfPages({ place, what, read })) {
    count(JSON.stringify(object).length);
    objects.push(object);
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
