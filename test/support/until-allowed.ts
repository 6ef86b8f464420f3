/**
 * Waits until the API server grants a user what roles and bindings allow. It notices them a moment after they are
 * written.
 */
import type { ControlPlaneAccess } from './control-plane/access.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { Stored } from './stored.ts';

export interface Access {
  readonly user?: string;
  readonly groups?: readonly string[];
  /** The API group; vexil.dev by default. */
  readonly group?: string | undefined;
  readonly verb: string;
  readonly resource: string;
  /** The namespace. If absent, the request is about the whole cluster. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export async function untilAllowed(
  cluster: Pick<ControlPlaneAccess, 'request'>,
  { user, groups, group = 'vexil.dev', ...attributes }: Access,
): Promise<void> {
  const spec = { user, groups, resourceAttributes: { group, ...attributes } };
  const what = `${user ?? groups} may ${attributes.verb} ${attributes.resource} in ${attributes.namespace ?? 'the cluster'}`;
  await waitUntil({ what, everyMs: 10 }, async () => {
    const review = (await cluster.request({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec },
    })) as Stored;
    return review.status.allowed === true;
  });
}
