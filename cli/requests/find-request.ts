/** Reads a change request with its target, and shows what it would change. */
import { presentIn, type Target, wantedBy } from '../../src/domain/approval/target.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { fieldChanges } from '../../src/kube/object/field-changes.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import type { Kind } from '../../src/model/kind.ts';
import { type ChangeRequest, changeRequest } from '../../src/schema/change-request.ts';
import { environment } from '../../src/schema/environment.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { project } from '../../src/schema/project.ts';
import { segment } from '../../src/schema/segment.ts';
import { type ClusterConnection, readObject } from '../connection/cluster.ts';
import { Failure } from '../failure.ts';
import { changeLine } from '../plan/plan-text.ts';
import { EXIT, printable, type Terminal } from '../terminal.ts';

/** Throws a Failure if there is no such request in the namespace. */
export async function findRequest(cluster: ClusterConnection, name: string): Promise<ChangeRequest> {
  const { namespace } = cluster;
  const found = await readObject(cluster, { kind: changeRequest, namespace, name });
  if (found !== undefined) return parseObject(changeRequest, found);
  throw new Failure(
    `there is no ChangeRequest "${name}" in the namespace "${namespace}": name it with -n, vexil requests lists them`,
    EXIT.noInput,
  );
}

export async function targetOf(
  { transport }: Pick<ClusterConnection, 'transport'>,
  { metadata, spec }: ChangeRequest,
): Promise<Target> {
  const { kind, name } = spec.target;
  const read = async <S, T>(of: Kind<S, T>) =>
    parseObject(of, await transport.request({ method: 'GET', path: resourcePath(of, metadata.namespace, name) }));
  switch (kind) {
    case 'FeatureFlag':
      return { kind, object: await read(featureFlag) };
    case 'Segment':
      return { kind, object: await read(segment) };
    case 'Project':
      return { kind, object: await read(project) };
    case 'Environment':
      return { kind, object: await read(environment) };
  }
}

/** Who asks for what, and the fields that would change. */
export function changesText(request: ChangeRequest, target: Target, { isColoured }: Terminal): string {
  const { spec } = request;
  const changes = fieldChanges({ spec: presentIn(target, request) }, { spec: wantedBy(request) });
  const head = `${spec.author.name} asks to change ${spec.target.name}${spec.reason === undefined ? '' : `: ${spec.reason}`}`;
  return printable([head, ...changes.map((change) => `  ${changeLine(change, isColoured)}`), ''].join('\n'));
}
