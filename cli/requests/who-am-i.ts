/** The name and groups of the user, as the API server sees them. */
import { resourcePath } from '../../src/kube/api/paths.ts';
import { recordOf } from '../../src/model/json.ts';
import type { ClusterConnection } from '../connection/cluster.ts';
import { Failure } from '../failure.ts';
import { EXIT } from '../terminal.ts';

interface UserInfo {
  readonly username: string;
  readonly groups: readonly string[];
}

export async function whoAmI({ transport }: Pick<ClusterConnection, 'transport'>): Promise<UserInfo> {
  const [group, kind] = ['authentication.k8s.io/v1', 'SelfSubjectReview'];
  const path = resourcePath({ plural: 'selfsubjectreviews', root: `apis/${group}` });
  const answer = await transport.request({ method: 'POST', path, body: { apiVersion: group, kind } });
  const { username, groups } = recordOf(recordOf(recordOf(answer)['status'])['userInfo']);
  if (typeof username !== 'string') throw new Failure('the API server does not say who you are', EXIT.unavailable);
  return { username, groups: Array.isArray(groups) ? groups.filter((one) => typeof one === 'string') : [] };
}
