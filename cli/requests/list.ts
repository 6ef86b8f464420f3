/** `vexil requests`: lists change requests. */
import { isFinal } from '../../src/domain/approval/request-life.ts';
import { compareText } from '../../src/domain/identity/names.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { type ChangeRequest, changeRequest } from '../../src/schema/change-request.ts';
import { inReach, listObjects, withCluster } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions } from '../connection/options.ts';
import { table } from '../flags/table.ts';
import { jsonText, printable, type Terminal } from '../terminal.ts';
import { forCaller, type Whose } from './for-caller.ts';

export interface ListRequestsOptions extends ClusterOptions, OutputOptions, Whose {
  /** Also those that have ended. */
  readonly all: boolean;
}

export async function runListRequests(options: ListRequestsOptions, terminal: Terminal): Promise<void> {
  const found = await withCluster(options, terminal, async (cluster) => {
    const objects = await inReach(cluster, options.namespace, (place) => listObjects(cluster, changeRequest, place));
    const all = objects.map((object) => parseObject(changeRequest, object));
    return forCaller(
      cluster,
      all.filter(({ status }) => options.all || !isFinal(status?.phase)),
      options,
    );
  });
  const requests = found.toSorted((a, b) => {
    return compareText(b.metadata.creationTimestamp, a.metadata.creationTimestamp);
  });
  if (options.output === 'json') {
    terminal.write(jsonText({ requests: requests.map(shownRequest) }));
    return;
  }
  const rows = requests.map((request) => {
    const { namespace, name, kind, target, environments, author, phase, approvals, message } = shownRequest(request);
    return [namespace, name, kind, target, environments.join(','), author, phase, approvals, message];
  });
  const head = ['NAMESPACE', 'NAME', 'KIND', 'TARGET', 'ENVIRONMENTS', 'AUTHOR', 'PHASE', 'APPROVALS', 'MESSAGE'];
  terminal.write(rows.length === 0 ? 'No requests.\n' : printable(table([head, ...rows])));
}

export function shownRequest({ metadata, spec, status }: ChangeRequest) {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    kind: spec.target?.kind ?? '',
    target: spec.target?.name ?? '',
    environments: status?.environments ?? Object.keys(spec.environments ?? {}),
    author: spec.author?.name ?? '',
    phase: status?.phase ?? 'Pending',
    approvals: status?.approvals ?? '',
    reason: spec.reason ?? '',
    message: ready?.status === 'False' ? ready.message : '',
  };
}
