/**
 * The health that Flux reports for an object: the expressions of config/flux, evaluated by the CEL of the API server.
 */
import { readFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import type { Transport } from '../../../src/kube/api/transport.ts';
import { kinds } from '../../../src/schema/kinds.ts';
import type { ControlPlaneAccess } from '../control-plane/access.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import type { Stored } from '../stored.ts';

const KUSTOMIZATION = new URL('../../../config/flux/kustomization.yaml', import.meta.url);

/** Unknown: an expression could not be evaluated. Flux then waits, as with InProgress. */
export type FluxHealth = 'Current' | 'InProgress' | 'Failed' | 'Unknown';

interface Expressions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly inProgress: string;
  readonly failed: string;
  readonly current: string;
}

/** A policy sees as object.status what an expression of Flux sees as status. */
const rooted = (expression: string) => `(${expression.replace(/(?<![.\w])(?=(status|spec|metadata)\b)/g, 'object.')})`;

/** The expressions in the order in which Flux evaluates them. If none holds, the object is in progress. */
const verdictOf = ({ inProgress, failed, current }: Expressions) =>
  `${rooted(inProgress)} ? 'InProgress' : ${rooted(failed)} ? 'Failed' : ${rooted(current)} ? 'Current' : 'InProgress'`;

/** Installs policies that refuse every dry run of an update in a namespace, with the health that Flux would report. */
export async function fluxIn(cluster: ControlPlaneAccess, transport: Transport, namespace: string) {
  const { spec } = parse(await readFile(KUSTOMIZATION, 'utf8'));
  const policies = spec.healthCheckExprs.flatMap((one: Expressions) => policyFor(one, namespace));
  await cluster.kubectlOrThrow(['apply', '-f', '-'], {
    input: policies.map((one: object) => stringify(one)).join('---\n'),
  });

  async function ask(object: Stored): Promise<FluxHealth | undefined> {
    const path = `/apis/${object.apiVersion}/namespaces/${namespace}/${pluralOf(object)}/${object.metadata.name}`;
    const refusal = await transport
      .request({
        method: 'PATCH',
        path,
        query: { dryRun: 'All' },
        contentType: 'application/merge-patch+json',
        body: { metadata: { annotations: { 'example.com/asked': 'true' } } },
      })
      .then(
        () => undefined,
        (error: Error) => error.message,
      );
    return refusal === undefined ? undefined : (/Flux says (\w+)/.exec(refusal)?.[1] as FluxHealth);
  }

  return async function health(object: Stored): Promise<FluxHealth> {
    const seen = object.status?.observedGeneration;
    // Flux compares the generations before it evaluates an expression.
    if (seen !== undefined && seen !== object.metadata.generation) return 'InProgress';
    return waitUntil({ what: `the policy for ${object.kind} is in effect` }, () => ask(object));
  };
}

function policyFor(expressions: Expressions, namespace: string): readonly object[] {
  const { apiVersion, kind } = expressions;
  const [group = '', version = ''] = apiVersion.split('/');
  const name = `flux-${kind.toLowerCase()}-${namespace}`;
  const inNamespace = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  const rule = { apiGroups: [group], apiVersions: [version], operations: ['UPDATE'], resources: [pluralOf({ kind })] };
  const admission = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        matchConditions: [{ name: 'dry-run', expression: 'has(request.dryRun) && request.dryRun' }],
        validations: [
          {
            expression: 'false',
            messageExpression: `'Flux says ' + (${verdictOf(expressions)})`,
            message: 'Flux says Unknown',
          },
        ],
      },
    },
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'], matchResources: { namespaceSelector: inNamespace } },
    },
  ];
}

function pluralOf({ kind }: Pick<Stored, 'kind'>): string {
  const found = kinds.find((one) => one.kind === kind);
  if (!found) throw new Error(`there is no kind ${kind}`);
  return found.plural;
}
