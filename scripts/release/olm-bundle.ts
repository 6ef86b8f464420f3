/** Makes the bundle of the Operator Lifecycle Manager from the rendered installation. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { API_VERSION, GROUP, VERSIONS } from '../../src/model/kind.ts';
import { writeYaml } from '../../src/model/yaml/yaml.ts';
import { kinds } from '../../src/schema/kinds.ts';

/** An object of the installation. */
interface Installed {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
  readonly rules?: readonly object[];
}

/** What the lifecycle manager creates from the ClusterServiceVersion. */
const IN_VERSION = ['Namespace', 'ServiceAccount', 'Role', 'RoleBinding', 'ClusterRoleBinding', 'Deployment'];
/** What it refuses to create. */
const BEFORE = /^(PersistentVolumeClaim|\w+AdmissionPolicy(Binding)?)$/;
/** The file with what has to be applied before. */
export const OLM_BEFORE = 'olm-before.yaml';

/** The rules of `system:auth-delegator`. */
const REVIEWS = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

const DESCRIPTION = `Vexil keeps feature flags as Kubernetes resources, with an admin API that is compatible with Unleash.

## Before the installation

The lifecycle manager creates neither volumes nor admission policies. Apply the file \`${OLM_BEFORE}\` of the release:
it has the volume of the history, and the policies for authors, freezes, approvals and protected environments. Install
the operator in the namespace \`vexil-system\`, which the policies name. \`vexil check\` says what is missing.
`;

/** Returns the files of the bundle by path, and the file that is applied before. */
export function olmBundle(rendered: string): ReadonlyMap<string, string> {
  const objects = parseAllDocuments(rendered).map((document): Installed => document.toJS());
  const others = objects.filter(({ kind }) => !IN_VERSION.includes(kind) && !BEFORE.test(kind));
  const namespace = objects.filter(({ kind }) => kind === 'Namespace');
  const before = [...namespace, ...objects.filter(({ kind }) => BEFORE.test(kind))];
  return new Map([
    ['manifests/vexil.clusterserviceversion.yaml', writeYaml(clusterServiceVersion(objects))],
    ...others.map((object) => [`manifests/${fileOf(object)}`, writeYaml(withoutNamespace(object))] as const),
    ['metadata/annotations.yaml', writeYaml({ annotations: ANNOTATIONS })],
    [OLM_BEFORE, before.map((object) => writeYaml(object)).join('---\n')],
  ]);
}

const ANNOTATIONS = {
  'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
  'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
  'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
  'operators.operatorframework.io.bundle.package.v1': 'vexil',
  'operators.operatorframework.io.bundle.channels.v1': 'alpha',
  'operators.operatorframework.io.bundle.channel.default.v1': 'alpha',
};

function fileOf({ kind, metadata: { name } }: Installed): string {
  return `${name}.${kind.toLowerCase()}.yaml`;
}

/** The lifecycle manager chooses the namespace. */
function withoutNamespace(object: Installed): object {
  const { namespace: _, ...metadata } = object.metadata as Record<string, unknown>;
  return { ...object, metadata };
}

function clusterServiceVersion(objects: readonly Installed[]): object {
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  const rules = objects.filter(({ kind }) => kind === 'Role').flatMap((role) => role.rules ?? []);
  const account = 'vexil';
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: `vexil.v${manifest.version}`, namespace: 'placeholder', annotations: annotationsOf(deployments) },
    spec: {
      displayName: 'Vexil',
      description: DESCRIPTION,
      version: manifest.version,
      maturity: 'alpha',
      minKubeVersion: '1.36.0',
      keywords: ['feature-flags', 'feature-toggles', 'unleash', 'gitops'],
      provider: { name: 'Vexil' },
      maintainers: maintainers(),
      icon: [{ base64data: iconOf(), mediatype: 'image/svg+xml' }],
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
        type,
        supported: type === 'OwnNamespace',
      })),
      customresourcedefinitions: {
        owned: kinds.flatMap(({ kind, plural, description }) =>
          VERSIONS.map(({ name: version }) => ({
            ...{ name: `${plural}.${GROUP}`, version, kind, displayName: kind },
            description,
          })),
        ),
      },
      install: {
        strategy: 'deployment',
        spec: {
          permissions: [{ serviceAccountName: account, rules }],
          clusterPermissions: [{ serviceAccountName: account, rules: REVIEWS }],
          deployments: deployments.map(({ metadata: { name }, spec }) => ({ name, spec })),
        },
      },
    },
  };
}

function annotationsOf([deployment]: readonly Installed[]): Readonly<Record<string, string>> {
  const image = /"image":"([^"]+)"/.exec(JSON.stringify(deployment))?.[1] ?? '';
  return {
    capabilities: 'Full Lifecycle',
    categories: 'Application Runtime, Developer Tools',
    containerImage: image,
    description: manifest.description,
    'alm-examples': JSON.stringify(examples()),
  };
}

/** Those who own the repository on Artifact Hub, which owners set before the first release. */
function maintainers(): readonly object[] {
  const file = join(import.meta.dirname, '../../charts/artifacthub-repo.yml');
  return parse(readFileSync(file, 'utf8')).owners;
}

/** The first sample of each kind. */
function examples(): readonly object[] {
  const folder = join(import.meta.dirname, '../../config/samples');
  const files = globSync('*.yaml', { cwd: folder }).toSorted();
  const all = files.flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')));
  const found = all.map((document) => document.toJS()).filter((object) => object?.apiVersion === API_VERSION);
  return kinds.flatMap(({ kind }) => found.find((object) => object.kind === kind) ?? []);
}

function iconOf(): string {
  const flag = '<path d="M14 8v48" stroke="#333" stroke-width="4"/><path d="M16 10h32l-8 11 8 11H16z" fill="#2f6fdb"/>';
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${flag}</svg>`).toString('base64');
}
