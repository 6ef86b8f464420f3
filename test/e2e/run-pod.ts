/** A pod that runs a small program once, with the image of the operator and an account of its own. */
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { RealCluster } from './cluster.ts';
import { inWords } from './stage.ts';

export interface PodProgram {
  readonly namespace: string;
  readonly name: string;
  readonly serviceAccount: string;
  /** The program, a JavaScript module. */
  readonly script: string;
}

/** The path of the token of the program's account, which is valid for Vexil only. */
export const TOKEN_FILE = '/var/run/secrets/vexil/token';

/** Resolves with the output of the program; throws with the output if it fails. */
export async function runPod(cluster: RealCluster, program: PodProgram): Promise<string> {
  const { namespace, name } = program;
  await cluster.apply(podFor(program, inWords(cluster.stage.operatorImage)));
  const phase = await waitUntil({ what: `the pod ${name} has ended`, timeoutMs: 60_000, everyMs: 200 }, async () => {
    const pod = await cluster.read(`/api/v1/namespaces/${namespace}/pods/${name}`);
    return ['Succeeded', 'Failed'].includes(pod?.status.phase) && pod.status.phase;
  });
  const output = await cluster.kubectlOrThrow(['logs', name, '-n', namespace]);
  if (phase !== 'Succeeded') throw new Error(`the pod ${name} has failed:\n${output}`);
  return output;
}

function podFor({ namespace, name, serviceAccount, script }: PodProgram, image: string): object {
  const securityContext = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  const sources = [{ serviceAccountToken: { audience: 'vexil', path: 'token' } }];
  const container = {
    ...{ name, image, imagePullPolicy: 'Never', securityContext },
    args: ['--input-type=module', '--eval', script],
    volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets/vexil', readOnly: true }],
  };
  const spec = {
    containers: [container],
    restartPolicy: 'Never',
    serviceAccountName: serviceAccount,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    volumes: [{ name: 'token', projected: { sources } }],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec };
}
