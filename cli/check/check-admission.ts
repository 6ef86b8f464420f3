/** The admission policies: whether they are there, bound, and deny. */
import { recordOf, recordsIn } from '../../src/model/json.ts';
import { metadataOf } from '../manifests/ref.ts';
import { type Check, type CheckedCluster, type CheckResult, fine, installAgain, type ReadObject } from './check.ts';

interface ExpectedPolicy {
  /** What is not enforced without the policy. */
  readonly without: string;
  readonly isMutating?: boolean;
  /** The policy that older versions of Kubernetes have instead. */
  readonly instead?: string;
}

/** The policies of config/admission, by name. Charts append the operator namespace to names. */
export const EXPECTED_POLICIES: Readonly<Record<string, ExpectedPolicy>> = {
  'vexil-audit-events': { without: 'others can write Events that look like those of the history' },
  'vexil-author': { without: 'changes by kubectl and Git have no author', isMutating: true, instead: 'vexil-stamps' },
  'vexil-change-approvals': { without: 'approvals can name other people' },
  'vexil-change-requests': { without: 'requests can name other people' },
  'vexil-environment-changes': { without: 'freezes and approvals do not bind kubectl and Git' },
  'vexil-protected-environment': { without: 'protected environments can be deleted' },
  'vexil-statuses': { without: 'others can write statuses, and with them approvals' },
};

const ADMISSION = 'apis/admissionregistration.k8s.io/v1';

export const checkAdmission: Check = async ({ cluster, installation }) => {
  const [validating, mutating] = [await readPolicies(cluster, 'validating'), await readPolicies(cluster, 'mutating')];
  const results = Object.entries(EXPECTED_POLICIES).flatMap(([name, { without, isMutating, instead }]) => {
    const ways = [problemOf(isMutating ? mutating : validating, name, installation.namespace)];
    if (instead !== undefined) ways.push(problemOf(validating, instead, installation.namespace));
    const [problem] = ways;
    if (problem === undefined || ways.includes(undefined)) return [];
    const { says, mend = installAgain(installation) } = problem;
    return [{ verdict: 'warning', message: `${says}: ${without}`, mend } as const];
  });
  const count = Object.keys(EXPECTED_POLICIES).length;
  return results.length > 0 ? results : [fine(`${count} admission policies are bound`)];
};

interface Policies {
  readonly names: ReadonlySet<string>;
  readonly bindings: readonly ReadObject[];
}

/** Older versions of Kubernetes have no mutating policies. */
async function readPolicies(cluster: CheckedCluster, type: 'validating' | 'mutating'): Promise<Policies> {
  const policies = await cluster.list({ plural: `${type}admissionpolicies`, root: ADMISSION });
  const bindings = await cluster.list({ plural: `${type}admissionpolicybindings`, root: ADMISSION });
  return { names: new Set(policies.map((one) => String(metadataOf(one)['name']))), bindings };
}

interface PolicyProblem {
  readonly says: string;
  /** Absent: the installation as a whole. */
  readonly mend?: string;
}

function problemOf({ names, bindings }: Policies, name: string, namespace: string): PolicyProblem | undefined {
  const present = [name, `${name}-${namespace}`].find((one) => names.has(one));
  if (present === undefined) return { says: `the admission policy ${name} is not installed` };
  const bound = bindings.filter((one) => recordOf(one['spec'])['policyName'] === present);
  const [first] = bound;
  if (first === undefined) return { says: `the admission policy ${present} has no binding` };
  if (bound.some(isDenying)) return undefined;
  // The actions are a set that an apply would only add to.
  const mend = `kubectl patch validatingadmissionpolicybinding ${metadataOf(first)['name']} --type=merge -p '{"spec":{"validationActions":["Deny"]}}'`;
  return { says: `the binding of the admission policy ${present} does not deny`, mend };
}

/** Bindings of mutating policies have no actions. */
function isDenying(binding: ReadObject): boolean {
  const { validationActions: actions } = recordOf(binding['spec']);
  return !Array.isArray(actions) || actions.includes('Deny');
}

const SERVICES = { plural: 'services', root: 'api/v1' };

/** Webhooks of others that would refuse every write because their Service is gone. */
export const checkWebhooks: Check = async ({ cluster }) => {
  const results: CheckResult[] = [];
  for (const type of ['validating', 'mutating']) {
    for (const configuration of await cluster.list({ plural: `${type}webhookconfigurations`, root: ADMISSION }))
      results.push(...(await brokenWebhooks(cluster, configuration, `${type}webhookconfiguration`)));
  }
  return results.length > 0 ? results : [fine('no webhook refuses objects of Vexil')];
};

async function brokenWebhooks(
  cluster: CheckedCluster,
  configuration: ReadObject,
  kind: string,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, rules, failurePolicy, clientConfig } of recordsIn(configuration['webhooks'])) {
    const { name: service, namespace } = recordOf(recordOf(clientConfig)['service']);
    if (failurePolicy === 'Ignore' || service === undefined || !recordsIn(rules).some(concernsVexil)) continue;
    if (await cluster.exists({ kind: SERVICES, namespace: String(namespace), name: String(service) })) continue;
    const message = `the webhook ${name} refuses objects of Vexil: its Service ${namespace}/${service} does not exist`;
    results.push({
      verdict: 'error',
      message,
      mend: `kubectl get ${kind} ${metadataOf(configuration)['name']} -o yaml`,
    });
  }
  return results;
}

function concernsVexil({ apiGroups }: ReadObject): boolean {
  return Array.isArray(apiGroups) && (apiGroups.includes('*') || apiGroups.includes('vexil.dev'));
}
