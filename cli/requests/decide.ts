/** `vexil approve`, `reject`, `comment` and `withdraw`: decide on a change request, or comment on it. */
import { isFinal } from '../../src/domain/approval/request-life.ts';
import { environmentsNamed } from '../../src/domain/approval/target.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import { type ChangeApprovalSpec, changeApproval, MAX_APPROVER_GROUPS } from '../../src/schema/change-approval.ts';
import { type ChangeRequest, changeRequest } from '../../src/schema/change-request.ts';
import { type ClusterConnection, withCluster } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions } from '../connection/options.ts';
import { Failure } from '../failure.ts';
import { EXIT, jsonText, printable, type Terminal } from '../terminal.ts';
import { changesText, findRequest, targetOf } from './find-request.ts';
import { whoAmI } from './who-am-i.ts';

export interface DecideOptions extends ClusterOptions, OutputOptions {
  readonly comment?: string;
  /** Absent: all groups of the caller. */
  readonly group?: readonly string[];
  /** Does not ask at the terminal. */
  readonly yes: boolean;
}

/** Shows what the request changes, asks, and records the decision. */
export async function runDecision(
  decision: 'Approve' | 'Reject',
  { name, options }: { readonly name: string; readonly options: DecideOptions },
  terminal: Terminal,
): Promise<void> {
  await withCluster(options, terminal, async (cluster) => {
    const request = await openRequest(cluster, name);
    if (options.output === 'text') {
      const changes = changesText(request, await targetOf(cluster, request), terminal);
      terminal.write(
        `${changes}${printable(`What users get: vexil requests ${name} -n ${request.metadata.namespace}\n`)}`,
      );
    }
    await confirm(`${decision} ${name}?`, options, terminal);
    const guarded = environmentsOf(request);
    const { username, groups } = await whoAmI(cluster);
    const recorded = options.group ?? groups;
    refuseTooManyGroups(recorded);
    const { namespace } = request.metadata;
    await create(cluster, request, {
      environments: [...guarded],
      approver: { kind: 'User', name: username },
      groups: [...recorded],
      decision,
      ...(options.comment !== undefined && { comment: options.comment }),
    });
    const next = `kubectl get changerequest ${name} -n ${namespace}`;
    const done = decision === 'Approve' ? 'Approved' : 'Rejected';
    report(terminal, options, { text: `${done} ${name}. See: ${next}`, json: { request: name, namespace, decision } });
  });
}

async function create(
  { transport }: ClusterConnection,
  { metadata: { namespace, name, uid } }: ChangeRequest,
  decision: Omit<ChangeApprovalSpec, 'request'>,
): Promise<void> {
  const body = {
    apiVersion: API_VERSION,
    kind: changeApproval.kind,
    metadata: { generateName: `${name}-`, namespace },
    spec: { request: { name, uid }, ...decision },
  };
  const path = resourcePath(changeApproval, namespace);
  await transport.request({ method: 'POST', path, query: { fieldManager: 'vexil-cli' }, body });
}

/** A request for a flag that is not judged yet may need approval wherever it names an environment. */
function environmentsOf({ metadata, spec, status }: ChangeRequest): readonly string[] {
  if (status?.environments !== undefined) return status.environments;
  if (spec.target.kind === 'FeatureFlag') return environmentsNamed(spec);
  const message = `Vexil has not said yet where the request "${metadata.name}" needs approval: try again`;
  throw new Failure(message, EXIT.unavailable);
}

/** The policy would accept a decision that rests on a group left out, and the operator would not count it. */
function refuseTooManyGroups({ length }: readonly string[]): void {
  if (length <= MAX_APPROVER_GROUPS) return;
  const message = `a decision records at most ${MAX_APPROVER_GROUPS} groups, not ${length}: name those through which you may approve with --group`;
  throw new Failure(message, EXIT.usage);
}

export async function runComment(
  { name, text }: { readonly name: string; readonly text: string },
  options: ClusterOptions & OutputOptions,
  terminal: Terminal,
): Promise<void> {
  await withCluster(options, terminal, async (cluster) => {
    const request = await findRequest(cluster, name);
    const { username } = await whoAmI(cluster);
    const approver = { kind: 'User', name: username } as const;
    await create(cluster, request, { environments: [], approver, decision: 'Comment', comment: text });
    const { namespace } = request.metadata;
    const json = { request: name, namespace, decision: 'Comment' };
    report(terminal, options, { text: `Commented on ${name}.`, json });
  });
}

export async function runWithdraw(
  name: string,
  options: ClusterOptions & OutputOptions,
  terminal: Terminal,
): Promise<void> {
  await withCluster(options, terminal, async (cluster) => {
    const { metadata } = await openRequest(cluster, name);
    await cluster.transport.request({
      method: 'PATCH',
      path: resourcePath(changeRequest, metadata.namespace, name),
      query: { fieldManager: 'vexil-cli' },
      contentType: 'application/merge-patch+json',
      body: { spec: { cancelled: true } },
    });
    const { namespace } = metadata;
    report(terminal, options, { text: `Withdrew ${name}.`, json: { request: name, namespace, decision: 'Withdraw' } });
  });
}

function report(
  terminal: Terminal,
  { output }: OutputOptions,
  { text, json }: { readonly text: string; readonly json: object },
): void {
  terminal.write(output === 'json' ? jsonText(json) : printable(`${text}\n`));
}

async function openRequest(cluster: ClusterConnection, name: string): Promise<ChangeRequest> {
  const request = await findRequest(cluster, name);
  if (isFinal(request.status?.phase)) {
    throw new Failure(`the request "${name}" has ended: it is ${request.status?.phase}`, EXIT.findings);
  }
  return request;
}

async function confirm(question: string, { yes }: DecideOptions, { ask }: Terminal): Promise<void> {
  if (yes) return;
  if (!ask) throw new Failure('there is no terminal to ask at: add --yes', EXIT.usage);
  const answer = await ask(`${question} (y/N) `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('nothing was decided', EXIT.findings);
}
