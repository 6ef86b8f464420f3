/** The operator itself: versions, replicas, what its pods need, storage, leader and clock. */
import { recordOf, recordsIn } from '../../src/model/json.ts';
import { metadataOf } from '../manifests/ref.ts';
import { plural } from '../plural.ts';
import { type Check, type CheckResult, fine, type Installation, type ReadObject } from './check.ts';
import { containerOfOperator, podSpecOf } from './find-installation.ts';

/** The versions of Kubernetes that `make compat` tests. */
export const KUBERNETES = { oldest: '1.33', newest: '1.37' } as const;

export const checkVersions: Check = async ({ cluster, installation, version }) => {
  const { major, minor, gitVersion } = await cluster.version();
  return [
    kubernetesVersion(`${major}.${Number.parseInt(String(minor), 10)}`, String(gitVersion)),
    operatorVersion(installation, version),
  ];
};

function kubernetesVersion(present: string, whole: string): CheckResult {
  const { oldest, newest } = KUBERNETES;
  if (numberOf(present) < numberOf(oldest)) {
    const mend = 'upgrade the cluster';
    return { verdict: 'error', message: `Kubernetes ${whole} is older than ${oldest}`, mend };
  }
  if (numberOf(present) <= numberOf(newest)) return fine(`Kubernetes ${whole}`);
  const message = `Kubernetes ${whole} is newer than ${newest}, with which this version was tested`;
  return { verdict: 'warning', message, mend: 'look for a newer version of Vexil' };
}

function numberOf(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 1_000 + minor;
}

/** Charts label objects with the version; kustomize names it in the tag of the image. */
function operatorVersion({ deployment }: Installation, version: string): CheckResult {
  const label = recordOf(metadataOf(deployment)['labels'])['app.kubernetes.io/version'];
  const image = String(containerOfOperator(deployment)['image'] ?? '');
  const present = typeof label === 'string' ? label : /:v?(\d[^:@/]*)(?:@|$)/.exec(image)?.[1];
  if (present === undefined) {
    const message = `the image ${image} does not tell the version of the operator`;
    return { verdict: 'unknown', message, mend: 'compare vexil_build_info in its metrics with vexil --version' };
  }
  if (present === version) return fine(`the operator has the version ${version}, as this program`);
  const message = `the operator has the version ${present}, and this program ${version}`;
  return { verdict: 'warning', message, mend: 'use the command line of the version of the operator' };
}

export const checkPods: Check = async ({ cluster, installation }) => {
  const { namespace, name, deployment } = installation;
  const { availableReplicas = 0 } = recordOf(deployment['status']);
  const { replicas = 1 } = recordOf(deployment['spec']);
  if (Number(replicas) === 0) {
    const mend = `kubectl scale deployment/${name} --replicas=1 -n ${namespace}`;
    return [{ verdict: 'error', message: 'the operator has no replica', mend }];
  }
  if (Number(availableReplicas) >= Number(replicas))
    return [fine(`${plural(Number(replicas), 'replica is', 'replicas are')} available`)];
  const pods = await cluster.list({ plural: 'pods', root: 'api/v1' }, namespace);
  const why = pods.filter((pod) => isPodOf(pod, name)).flatMap(waitingReasons);
  const message = `${availableReplicas} of ${plural(Number(replicas), 'replica')} are available`;
  const because = why.length > 0 ? `: ${why[0]}` : '';
  return [{ verdict: 'error', message: message + because, mend: `kubectl describe pods -n ${namespace}` }];
};

function isPodOf(pod: ReadObject, deployment: string): boolean {
  const labels = recordOf(metadataOf(pod)['labels']);
  return (
    String(metadataOf(pod)['name']).startsWith(`${deployment}-`) && labels['app.kubernetes.io/component'] === 'operator'
  );
}

function waitingReasons(pod: ReadObject): readonly string[] {
  const { containerStatuses, conditions } = recordOf(pod['status']);
  const waiting = recordsIn(containerStatuses).map(({ state }) => recordOf(recordOf(state)['waiting']));
  const unscheduled = recordsIn(conditions).filter(({ type, status }) => type === 'PodScheduled' && status === 'False');
  return [...waiting, ...unscheduled]
    .filter(({ reason }) => reason !== undefined)
    .map(({ reason, message }) => (message === undefined ? String(reason) : `${reason}: ${message}`));
}

const SECRETS = { plural: 'secrets', root: 'api/v1' };

/** Secrets are only looked up by name: their values stay in the cluster. */
export const checkSecrets: Check = async ({ cluster, installation: { deployment, namespace } }) => {
  const { env } = containerOfOperator(deployment);
  const ofVariables = recordsIn(env).map(({ valueFrom }) => recordOf(recordOf(valueFrom)['secretKeyRef']));
  const ofVolumes = recordsIn(podSpecOf(deployment)['volumes']).map(({ secret }) => {
    const { secretName: name, optional } = recordOf(secret);
    return { name, optional };
  });
  const needed = [...ofVariables, ...ofVolumes].filter(({ name, optional }) => name !== undefined && optional !== true);
  const names = [...new Set(needed.map(({ name }) => String(name)))];
  const results: CheckResult[] = [];
  for (const name of names) {
    if (await cluster.exists({ kind: SECRETS, namespace, name })) continue;
    const mend = `kubectl create secret generic ${name} -n ${namespace} --from-literal=KEY=VALUE`;
    results.push({ verdict: 'error', message: `the Secret ${name} that the operator needs is missing`, mend });
  }
  return results.length > 0 ? results : [fine(`${plural(names.length, 'Secret')} of the operator are there`)];
};

const CLAIMS = { plural: 'persistentvolumeclaims', root: 'api/v1' };

export const checkStorage: Check = async ({ cluster, installation }) => {
  const { deployment, namespace, settings } = installation;
  const volumes = recordsIn(podSpecOf(deployment)['volumes']);
  const { replicas = 1 } = recordOf(deployment['spec']);
  const isSqlite = (settings.get('VEXIL_AUDIT_URL') ?? '').startsWith('sqlite:');
  if (isSqlite && Number(replicas) > 1) {
    const message = `${replicas} replicas have a history in SQLite each`;
    return [{ verdict: 'error', message, mend: 'use PostgreSQL, or one replica (docs/install.md#two-replicas)' }];
  }
  const claims = volumes.map(({ persistentVolumeClaim: claim }) => recordOf(claim)['claimName']).filter(Boolean);
  const results: CheckResult[] = [];
  for (const claim of claims) {
    const name = String(claim);
    results.push(claimResult(await cluster.get({ kind: CLAIMS, namespace, name }), name, namespace));
  }
  if (claims.length > 0) return results;
  if (!isSqlite) return [fine('the history is in a database')];
  const message = 'the history is in SQLite without a volume: it is lost with the pod';
  return [{ verdict: 'warning', message, mend: 'use a PersistentVolumeClaim, or PostgreSQL (docs/install.md)' }];
};

function claimResult(claim: ReadObject | undefined, name: string, namespace: string): CheckResult {
  const describe = `kubectl describe persistentvolumeclaim ${name} -n ${namespace}`;
  if (claim === undefined)
    return { verdict: 'error', message: `the PersistentVolumeClaim ${name} of the history is missing`, mend: describe };
  const { phase } = recordOf(claim['status']);
  if (phase === 'Bound') return fine(`the PersistentVolumeClaim ${name} is bound`);
  const message = `the PersistentVolumeClaim ${name} of the history is ${phase ?? 'not'} and not bound: is there a default storage class?`;
  return { verdict: 'error', message, mend: describe };
}

/** Differences that are only delays of the network. */
const MAX_SKEW_MS = 5_000;
const LEASES = { plural: 'leases', root: 'apis/coordination.k8s.io/v1' };
const LEASE = 'vexil';

/**
 * The leader writes its own time into the Lease, and the API server notes its own time of that write: the difference is
 * that of the clocks.
 */
export const checkClock: Check = async ({ cluster, installation: { namespace } }) => {
  const lease = await cluster.get({ kind: LEASES, namespace, name: LEASE });
  const { renewTime, holderIdentity } = recordOf(lease?.['spec']);
  if (typeof renewTime !== 'string' || !holderIdentity) {
    const mend = `kubectl logs -n ${namespace} -l app.kubernetes.io/component=operator`;
    return [{ verdict: 'error', message: 'no replica leads: no status is written, and nothing is recorded', mend }];
  }
  const written = recordsIn(metadataOf(lease)['managedFields']).map(({ time }) => Date.parse(String(time)));
  const skewMs = Date.parse(renewTime) - Math.max(...written);
  if (!(Math.abs(skewMs) > MAX_SKEW_MS)) return [fine('the clocks of the operator and of the API server agree')];
  const ahead = skewMs > 0 ? 'ahead of' : 'behind';
  const message = `the clock of the operator is ${Math.round(Math.abs(skewMs) / 1_000)} s ${ahead} that of the API server: windows, ramps and freezes take effect at a wrong time`;
  return [{ verdict: 'warning', message, mend: 'synchronise the clocks of the nodes (NTP)' }];
};
