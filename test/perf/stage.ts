/** The resources of a run of the benchmark: control plane, flags, operator. */

import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import type { ControlPlane } from '../support/control-plane/start-control-plane.ts';
import { startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { FLAGS, fill, HOME, isAtRest, SHOP } from './contents.ts';
import { clusterClient, type KeptClient, keptClient } from './kept-client.ts';
import { type MeasuredOperator, startMeasuredOperator } from './measured-operator.ts';
import type { Undo } from './run-bench.ts';
import { ADMIN_TOKEN, createSdkTokens, type SdkTokens } from './tokens.ts';
import { fillUsers } from './users.ts';

export interface Stage {
  /** The kubeconfig of the operator. */
  readonly kubeconfig: string;
  readonly operator: MeasuredOperator;
  /** The admin API. */
  readonly api: KeptClient;
  readonly tokens: SdkTokens;
  /** The API server, as a user who may do everything. */
  readonly admin: KeptClient;
  /** The API server, as the operator. */
  readonly asOperator: KeptClient;
}

export interface StageParts {
  /** The number of users to create. */
  readonly users: number;
  readonly profile: string | undefined;
  readonly say: (line: string) => void;
  /** Takes the steps to run at the end, in reverse order. */
  readonly undoLater: (undo: Undo) => void;
}

/** Resolves when the operator has judged every flag. */
export async function setStage({ users, profile, say, undoLater }: StageParts): Promise<Stage> {
  say('starting a control plane');
  const cluster = await startControlPlane();
  undoLater(cluster.stop);
  const kubeconfig = await prepare(cluster);
  const admin = await clusterClient(cluster.kubeconfig);
  const asOperator = await clusterClient(kubeconfig);
  say(`creating ${FLAGS} flags`);
  await fill(admin);
  if (users > 0) say(`creating ${users} users`);
  await fillUsers(admin, users);
  say('starting the operator');
  const operator = await startMeasuredOperator({ kubeconfig, profile, complain: (line) => say(`operator: ${line}`) });
  undoLater(operator.stop);
  const url = `http://127.0.0.1:${operator.port}`;
  const api = keptClient({ url, headers: { Authorization: ADMIN_TOKEN } });
  for (const client of [admin, asOperator, api]) undoLater(client.close);
  await waitUntil({ what: 'every flag is judged', timeoutMs: 60_000, everyMs: 500 }, () => isAtRest(admin));
  return { kubeconfig, operator, api, tokens: await createSdkTokens(api), admin, asOperator };
}

/** Returns the kubeconfig for the operator. */
async function prepare(cluster: ControlPlane): Promise<string> {
  await installDefinitions(cluster);
  await cluster.kubectlOrThrow(['create', 'namespace', HOME]);
  await cluster.kubectlOrThrow(['create', 'namespace', SHOP]);
  return grantOperatorRoles(cluster, HOME, [SHOP]);
}
