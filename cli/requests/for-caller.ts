/** The change requests that concern the user of the command line. */
import { APPROVE, maySame, type UsersByName } from '../../src/domain/approval/people.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { recordOf } from '../../src/model/json.ts';
import { GROUP } from '../../src/model/kind.ts';
import { changeApproval } from '../../src/schema/change-approval.ts';
import type { ChangeRequest } from '../../src/schema/change-request.ts';
import { environment } from '../../src/schema/environment.ts';
import { type ClusterConnection, listReadable } from '../connection/cluster.ts';
import { listEnvironments } from '../connection/environments.ts';
import { whoAmI } from './who-am-i.ts';

export interface Whose {
  /** Only those that the user has asked for. */
  readonly mine: boolean;
  /** Only those that wait for a decision that the user can make, and has not made. */
  readonly toApprove: boolean;
}

/** Users need not be readable: who is known by two names is taken for two people. The API server decides. */
const byNameOnly: UsersByName = { userNamed: () => undefined, userBySubject: () => undefined };

export async function forCaller(
  cluster: ClusterConnection,
  requests: readonly ChangeRequest[],
  { mine, toApprove }: Whose,
): Promise<readonly ChangeRequest[]> {
  if (!mine && !toApprove) return requests;
  const caller = { kind: 'User', name: (await whoAmI(cluster)).username } as const;
  const isMine = ({ spec }: ChangeRequest) => maySame(caller, spec.author, byNameOnly);
  if (mine) return requests.filter(isMine);
  const selfApproved = await environmentsOfSelfApproval(cluster);
  const decided = await requestsDecidedBy(cluster, caller);
  const waiting = requests.filter((request) => {
    const mayDecide = !isMine(request) || (request.status?.environments ?? []).every((name) => selfApproved.has(name));
    return request.status?.phase === 'Pending' && mayDecide && !decided.has(request.metadata.uid);
  });
  return withRight(cluster, waiting);
}

function placesOf({ metadata, status }: ChangeRequest): readonly string[] {
  return (status?.environments ?? []).map((name) => `${metadata.namespace}/${name}`);
}

/** Environments are in the operator namespace, and requests in that of their target. */
async function environmentsOfSelfApproval(cluster: ClusterConnection): Promise<ReadonlySet<string>> {
  const all = (await listEnvironments(cluster)) ?? [];
  return new Set(all.filter(({ spec }) => spec.approvals?.selfApproval === true).map(wireNameOf));
}

async function requestsDecidedBy(
  cluster: ClusterConnection,
  caller: Parameters<typeof maySame>[0],
): Promise<ReadonlySet<string>> {
  const found = (await listReadable(cluster, changeApproval)) ?? [];
  const all = found.map((object) => parseObject(changeApproval, object));
  const own = all.filter(({ spec }) => spec.decision !== 'Comment' && maySame(caller, spec.approver, byNameOnly));
  return new Set(own.map(({ spec }) => spec.request.uid));
}

/** Asks the API server once for each environment. */
async function withRight(
  cluster: ClusterConnection,
  requests: readonly ChangeRequest[],
): Promise<readonly ChangeRequest[]> {
  const allowed = new Map<string, boolean>();
  for (const place of new Set(requests.flatMap(placesOf))) allowed.set(place, await mayApproveIn(cluster, place));
  return requests.filter((request) => placesOf(request).every((place) => allowed.get(place)));
}

async function mayApproveIn({ transport }: Pick<ClusterConnection, 'transport'>, place: string): Promise<boolean> {
  const [namespace, name] = place.split('/');
  const [group, kind] = ['authorization.k8s.io/v1', 'SelfSubjectAccessReview'];
  const resource = { group: GROUP, resource: environment.plural };
  const resourceAttributes = { ...resource, verb: APPROVE, namespace, name };
  const body = { apiVersion: group, kind, spec: { resourceAttributes } };
  const path = resourcePath({ plural: 'selfsubjectaccessreviews', root: `apis/${group}` });
  const answer = await transport.request({ method: 'POST', path, body });
  return recordOf(recordOf(answer)['status'])['allowed'] === true;
}
