/** Measures what the policies of approvals add to an ordinary patch: `node test/perf/policies/main.ts`. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createAccount, type Rule } from '../../support/account.ts';
import { aFlag, anEnvironment, type Manifest } from '../../support/builders.ts';
import { installPolicyIn, untilRefused } from '../../support/control-plane/install-admission.ts';
import { installDefinitions } from '../../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane/start-control-plane.ts';
import { clusterClient, type KeptClient } from '../kept-client.ts';
import { describeLoad, describeMachine } from '../report.ts';
import { runBench, type Undo } from '../run-bench.ts';
import { percentile } from '../statistics.ts';

const USAGE = `Usage: node test/perf/policies/main.ts [--patches N] [--environments N] [--profile FILE]
  --patches       how many of each, 600 unless said
  --environments  how many have approvals, 1 unless said
  --profile       where to leave a CPU profile of the API server, of patches with the policies alone`;

interface Options {
  readonly patches: number;
  readonly environments: number;
  readonly profile: string | undefined;
}

function readOptions(): Options {
  const { patches, environments, profile } = parseArgs({
    options: {
      patches: { type: 'string', default: '600' },
      environments: { type: 'string', default: '1' },
      profile: { type: 'string' },
    },
  }).values;
  if (!/^[1-9]\d{0,5}$/.test(patches)) throw new Error(`--patches must be from 1 to 999999, not ${patches}`);
  if (!/^[1-9]\d?$/.test(environments)) throw new Error(`--environments must be from 1 to 99, not ${environments}`);
  return { patches: Number(patches), environments: Number(environments), profile };
}

const GUARDED = 'guarded';
const PLAIN = 'plain';
const POLICIES = ['environment-changes', 'change-requests', 'change-approvals', 'statuses'] as const;
const MAX_COST_MS = 1;

/** The spec of a patch that nothing refuses. */
const PATCHES: Readonly<Record<string, (number: number) => object>> = {
  'the description': (number) => ({ description: `number ${number}` }),
  'the switch in an environment without approvals': (number) => ({
    environments: { development: { enabled: number % 2 === 0 } },
  }),
};

const strategies = {
  all: { name: 'default' },
  share: { name: 'flexibleRollout', parameters: { rollout: 25, stickiness: 'default', groupId: 'checkout' } },
};
const flagIn = (namespace: string): Manifest =>
  aFlag(`${namespace}/checkout`, {
    project: 'shop',
    environments: { development: { enabled: true, strategies }, production: { enabled: true, strategies } },
  });

const mergePatch = (namespace: string, body: object) =>
  ({
    method: 'PATCH',
    path: `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags/checkout`,
    contentType: 'application/merge-patch+json',
    body,
  }) as const;

/** As a dry run, so that the flag stays as it is. */
async function msToPatch(client: KeptClient, namespace: string, spec: object): Promise<number> {
  const call = mergePatch(namespace, { spec });
  return (await client.call({ ...call, path: `${call.path}?dryRun=All` })).tookMs;
}

/** Makes environments with approvals, and the policies, for one of the namespaces. Returns the kubeconfig of a user. */
async function prepare(cluster: ControlPlane, environments: number): Promise<string> {
  await installDefinitions(cluster);
  await cluster.apply([
    ...[GUARDED, PLAIN].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    ...Array.from({ length: environments }, (_, index) => {
      return anEnvironment(`${GUARDED}/production${index || ''}`, { approvals: { required: 1 } });
    }),
    anEnvironment(`${GUARDED}/development`),
    ...[GUARDED, PLAIN].map(flagIn),
  ]);
  for (const policy of POLICIES) await installPolicyIn(cluster, `${policy}.yaml`, [GUARDED]);
  const rule: Rule = [['*'], ['featureflags']];
  const rules = { [GUARDED]: [rule], [PLAIN]: [rule] };
  const { kubeconfig } = await createAccount(cluster, { namespace: GUARDED, name: 'eve', rules });
  const body = { spec: { environments: { production: { activeFrom: '2030-01-01T00:00:00Z' } } } };
  await untilRefused(cluster, { ...mergePatch(GUARDED, body), query: { dryRun: 'All' } }, kubeconfig);
  return kubeconfig;
}

const WARM_UP = 50;

interface Took {
  readonly guarded: readonly number[];
  readonly plain: readonly number[];
}

/** In turn, so that both meet the same load of the machine. */
async function patchInTurn(client: KeptClient, spec: (number: number) => object, patches: number): Promise<Took> {
  const guarded: number[] = [];
  const plain: number[] = [];
  for (let number = 0; number < patches + WARM_UP; number += 1) {
    guarded.push(await msToPatch(client, GUARDED, spec(number)));
    plain.push(await msToPatch(client, PLAIN, spec(number)));
  }
  return { guarded: guarded.slice(WARM_UP), plain: plain.slice(WARM_UP) };
}

function describeCost(title: string, { guarded, plain }: Took): string {
  const [costs10, costs50] = [0.1, 0.5].map((share) => {
    const [one, other] = [percentile(guarded, share), percentile(plain, share)];
    return {
      text: `${one.toFixed(2)} ms, without ${other.toFixed(2)} ms, cost ${(one - other).toFixed(2)} ms`,
      ms: one - other,
    };
  });
  const verdict = (costs50?.ms ?? Number.NaN) <= MAX_COST_MS ? 'met' : 'missed';
  return `${title}\n  p10: ${costs10?.text}\n  p50: ${costs50?.text} (aim: at most ${MAX_COST_MS} ms, ${verdict})\n`;
}

const PROFILE_SECONDS = 15;

async function profilePatches(admin: KeptClient, client: KeptClient): Promise<Buffer> {
  let isDone = false;
  const path = `/debug/pprof/profile?seconds=${PROFILE_SECONDS}`;
  const profile = admin.call({ method: 'GET', path }).finally(() => {
    isDone = true;
  });
  while (!isDone) await msToPatch(client, GUARDED, { description: 'profiled' });
  return (await profile).bytes;
}

async function run({ patches, environments, profile }: Options, undoLater: (undo: Undo) => void): Promise<void> {
  process.stdout.write(`${describeMachine()}\n`);
  const cluster = await startControlPlane();
  undoLater(cluster.stop);
  const user = await clusterClient(await prepare(cluster, environments));
  undoLater(user.close);
  for (const [title, spec] of Object.entries(PATCHES)) {
    process.stdout.write(describeCost(title, await patchInTurn(user, spec, patches)));
  }
  process.stdout.write(`${describeLoad()}\n`);
  if (profile === undefined) return;
  const admin = await clusterClient(cluster.kubeconfig);
  undoLater(admin.close);
  await writeFile(profile, await profilePatches(admin, user));
}

await runBench({ usage: USAGE, readOptions, run });
