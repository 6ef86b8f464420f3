/** The changes of objects that a caller may see, as lists show them. */
import type { Access } from '../../kube/api/reviews.ts';
import { featureFlag } from '../../schema/feature-flag.ts';
import { project as projectKind } from '../../schema/project.ts';
import { segment } from '../../schema/segment.ts';
import type { Known } from '../authorization/requirements.ts';
import type { Caller } from '../caller.ts';
import { hasAccess, picked } from './readable-objects.ts';

interface ChangeOfObject {
  /** The plural of the kind. */
  readonly resource: string;
  readonly namespace: string;
  readonly objectName: string;
  readonly project: string | null;
}

type Parts = Pick<Known, 'catalog' | 'home'> & { readonly caller: Caller };

/** The changes that the caller may see, in their order. Throws if the answer is not available at the moment. */
export async function readableChanges<C extends ChangeOfObject>(
  { caller, ...known }: Parts,
  changes: readonly C[],
): Promise<readonly C[]> {
  return picked(changes, (change) => hasAccess(caller, accessTo(change, known)));
}

/**
 * A flag is seen with its project. Without its project, it is seen by callers who may read all projects of the
 * namespace.
 */
function accessTo(
  { resource, namespace, objectName, project }: ChangeOfObject,
  { catalog, home }: Omit<Parts, 'caller'>,
): Access {
  if (resource === projectKind.plural || resource === segment.plural) {
    return { verb: 'get', resource, namespace, name: objectName };
  }
  if (resource !== featureFlag.plural) return { verb: 'list', resource, namespace: home };
  const found = catalog.project(project ?? '')?.metadata;
  const name = found?.namespace === namespace ? { name: found.name } : {};
  return { verb: 'get', resource: projectKind.plural, namespace, ...name };
}
