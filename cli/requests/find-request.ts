/** Reads a change request with its flag, and shows what it would change. */
import { decisiveOf } from '../../src/domain/approval/decisive.ts';
import { environmentsOfRequest, wantedBy } from '../../src/domain/approval/request-values.ts';
import { isClusterError } from '../../src/errors.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { type ChangeRequest, changeRequest } from '../../src/schema/change-request.ts';
import { type FeatureFlag, featureFlag } from '../../src/schema/feature-flag.ts';
import type { ClusterConnection } from '../connection/cluster.ts';
import { Failure } from '../failure.ts';
import { fieldChanges } from '../plan/field-changes.ts';
import { changeLine } from '../plan/plan-text.ts';
import { EXIT, printable, type Terminal } from '../terminal.ts';

/** Throws a Failure if there is no such request in the namespace. */
export async function findRequest({ transport, namespace }: ClusterConnection, name: string): Promise<ChangeRequest> {
  const path = resourcePath(changeRequest, namespace, name);
  const found = await transport.request({ method: 'GET', path }).catch((error: unknown) => {
    if (!isClusterError(error, 'not-found')) throw error;
    throw new Failure(
      `there is no ChangeRequest "${name}" in the namespace "${namespace}": name it with -n, vexil requests lists them`,
      EXIT.noInput,
    );
  });
  return parseObject(changeRequest, found);
}

export async function targetOf(
  { transport }: Pick<ClusterConnection, 'transport'>,
  { metadata, spec }: ChangeRequest,
): Promise<FeatureFlag> {
  const path = resourcePath(featureFlag, metadata.namespace, spec.target.name);
  return parseObject(featureFlag, await transport.request({ method: 'GET', path }));
}

/** Who asks for what, and the fields that would change. */
export function changesText(request: ChangeRequest, flag: FeatureFlag, { isColoured }: Terminal): string {
  const { spec } = request;
  const present = decisiveOf(flag.spec, environmentsOfRequest(spec));
  const changes = fieldChanges({ spec: present }, { spec: wantedBy(request) });
  const head = `${spec.author.name} asks to change ${spec.target.name}${spec.reason === undefined ? '' : `: ${spec.reason}`}`;
  return printable([head, ...changes.map((change) => `  ${changeLine(change, isColoured)}`), ''].join('\n'));
}
