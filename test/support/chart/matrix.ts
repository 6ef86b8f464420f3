/** Values of the chart, each with the expected objects. */
import { factsOf, settingNames } from '../../../src/config/settings.ts';
import { kinds } from '../../../src/schema/kinds.ts';
import type { TemplateOptions, Values } from '../tools/helm.ts';

/** The CRDs, which the chart takes from its files as they are. They are large: one row renders them. */
const DEFINITIONS = kinds.map(({ plural }) => `CustomResourceDefinition/${plural}.vexil.dev`);

/**
 * The other objects that render without values, as `Kind/name`; with `@place` if the object is not in the namespace of
 * the release.
 */
export const DEFAULT_OBJECTS: readonly string[] = [
  ...['vexil-admin', 'vexil-approve', 'vexil-edit', 'vexil-view'].map((role) => `ClusterRole/${role}`),
  'ClusterRoleBinding/vexil-identities-home',
  ...['Role/vexil', 'RoleBinding/vexil', 'Role/vexil-flags', 'RoleBinding/vexil-flags'],
  ...policy('Validating', 'stamps'),
  ...policy('Validating', 'audit-events'),
  ...policy('Validating', 'protected-environment'),
  ...policy('Validating', 'environment-changes'),
  ...policy('Validating', 'change-requests'),
  ...policy('Validating', 'change-approvals'),
  ...policy('Validating', 'statuses'),
  ...['Deployment/vexil', 'PersistentVolumeClaim/vexil-history', 'Secret/vexil-admin-token'],
  ...['Service/vexil', 'ServiceAccount/vexil', 'Job/vexil-defaults', 'Pod/vexil-test'],
];

function policy(kind: 'Mutating' | 'Validating', name: string): readonly string[] {
  return ['', 'Binding'].map((end) => `${kind}AdmissionPolicy${end}/vexil-${name}-home`);
}

export interface Row {
  readonly values: Values;
  readonly options?: TemplateOptions;
  /** Objects that render only with these values; `less` are objects that do not render with them. */
  readonly more?: readonly string[];
  readonly less?: readonly string[];
  /** Some of the variables of the operator; undefined if the variable must be absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

const postgres = { audit: { postgres: { existingSecret: 'archive' } } };

/** Settings that are not in `config` of the chart, because they have values of their own. */
const ELSEWHERE = new Set<string>([
  ...['VEXIL_NAMESPACE', 'VEXIL_WATCH_NAMESPACES', 'VEXIL_HTTP_PORT', 'VEXIL_OPS_PORT', 'VEXIL_AUTH', 'KUBECONFIG'],
  ...['VEXIL_ADMIN_TOKEN', 'VEXIL_AUDIT_URL', 'VEXIL_AUDIT_RETENTION', 'VEXIL_ENVIRONMENT_PERMISSIONS'],
  ...['VEXIL_OIDC_CLIENT_SECRET', 'VEXIL_TLS_CERT_FILE', 'VEXIL_TLS_KEY_FILE', 'VEXIL_HISTORY_SIGNING_KEY_FILE'],
  'VEXIL_HISTORY_EXPORT_URL',
  ...['FILE', 'PORT', 'TLS_CERT_FILE', 'TLS_KEY_FILE', 'TOKEN_FILE', 'CLIENT_CA_FILE'].map(
    (name) => `VEXIL_AUDIT_LOG_${name}`,
  ),
]);

/** Each setting with the example of its page. */
const examples = settingNames
  .filter((name) => !ELSEWHERE.has(name))
  .map((name) => [name, factsOf(name).example] as const);

function camelCased(name: string): string {
  return name
    .slice('VEXIL_'.length)
    .toLowerCase()
    .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function asYaml(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** Helm reads `off` without quotes as a boolean, and renders the boolean. */
function asRendered(text: string): string {
  return text === 'off' ? 'false' : text;
}

const withoutDefinitions: Readonly<Record<string, Row>> = {
  'a cluster with the author policy': {
    values: {},
    options: { apiVersions: ['admissionregistration.k8s.io/v1/MutatingAdmissionPolicy'] },
    more: policy('Mutating', 'author'),
    less: policy('Validating', 'stamps'),
  },
  'two replicas on PostgreSQL': {
    values: { replicas: 2, ...postgres },
    more: ['PodDisruptionBudget/vexil'],
    less: ['PersistentVolumeClaim/vexil-history'],
  },
  'one replica on PostgreSQL': { values: postgres, less: ['PersistentVolumeClaim/vexil-history'] },
  'a volume of ones own': {
    values: { audit: { sqlite: { existingClaim: 'mine' } } },
    less: ['PersistentVolumeClaim/vexil-history'],
  },
  'two namespaces beside home': {
    values: { watch: { namespaces: ['shop', 'billing'] } },
    more: ['shop', 'billing'].flatMap((place) => [`Role/vexil-flags@${place}`, `RoleBinding/vexil-flags@${place}`]),
    environment: { VEXIL_WATCH_NAMESPACES: 'shop,billing' },
  },
  'all namespaces': {
    values: { watch: { namespaces: ['*'] } },
    more: ['ClusterRole/vexil-flags', 'ClusterRoleBinding/vexil-flags'],
    less: ['Role/vexil-flags', 'RoleBinding/vexil-flags'],
    environment: { VEXIL_WATCH_NAMESPACES: '*' },
  },
  'nobody is asked': {
    values: { auth: 'none', config: { allowAnonymous: true } },
    less: ['Secret/vexil-admin-token'],
    environment: { VEXIL_AUTH: 'none', VEXIL_ALLOW_ANONYMOUS: 'true', VEXIL_ADMIN_TOKEN: undefined },
  },
  'a token of ones own': {
    values: { adminToken: { create: false, existingSecret: 'mine', key: 'value' } },
    less: ['Secret/vexil-admin-token'],
  },
  'no token for the first steps': {
    values: { adminToken: { create: false } },
    less: ['Secret/vexil-admin-token'],
    environment: { VEXIL_ADMIN_TOKEN: undefined },
  },
  'single sign-on': {
    values: {
      config: {
        oidcIssuer: 'https://login.example.com',
        oidcClientId: 'vexil',
        oidcRedirectUrl: 'https://flags.example.com/auth/oidc/callback',
      },
      oidcClientSecret: { existingSecret: 'oidc' },
    },
    environment: { VEXIL_OIDC_ISSUER: 'https://login.example.com', VEXIL_OIDC_CLIENT_SECRET: 'a-secret' },
  },
  TLS: {
    values: { tls: { secretName: 'certificate' } },
    environment: { VEXIL_TLS_CERT_FILE: '/etc/vexil/tls/tls.crt', VEXIL_TLS_KEY_FILE: '/etc/vexil/tls/tls.key' },
  },
  'a history that is signed': {
    values: { audit: { signing: { secretName: 'history-key', key: 'ed25519' } } },
    environment: { VEXIL_HISTORY_SIGNING_KEY_FILE: '/etc/vexil/signing/ed25519' },
  },
  'a history that is exported': {
    values: { audit: { export: { url: 'file:///var/lib/vexil-export', volume: { emptyDir: {} } } } },
    environment: { VEXIL_HISTORY_EXPORT_URL: 'file:///var/lib/vexil-export' },
  },
  'an audit log that is received': {
    values: {
      audit: { log: { receiver: { secretName: 'audit-log', clientCa: true } } },
      networkPolicy: { enabled: true },
    },
    more: ['Service/vexil-audit-log', 'NetworkPolicy/vexil'],
    environment: {
      VEXIL_AUDIT_LOG_PORT: '9443',
      VEXIL_AUDIT_LOG_TLS_CERT_FILE: '/etc/vexil/audit-log/tls.crt',
      VEXIL_AUDIT_LOG_TLS_KEY_FILE: '/etc/vexil/audit-log/tls.key',
      VEXIL_AUDIT_LOG_TOKEN_FILE: '/etc/vexil/audit-log/token',
      VEXIL_AUDIT_LOG_CLIENT_CA_FILE: '/etc/vexil/audit-log/ca.crt',
    },
  },
  'an audit log in a file': {
    values: { audit: { log: { file: { volume: { hostPath: { path: '/var/log/vexil-audit' } } } } } },
    environment: { VEXIL_AUDIT_LOG_FILE: '/var/log/vexil-audit/audit.log' },
  },
  'rights that somebody else gives': {
    values: {
      rbac: { create: false, aggregate: false },
      identities: false,
      serviceAccount: { create: false, name: 'vexil' },
    },
    less: ['ServiceAccount/vexil', ...DEFAULT_OBJECTS.filter((title) => /Role(Binding)?\//.test(title))],
  },
  'no policies': {
    values: {
      admission: { author: false, protectedEnvironments: false, freezes: false, approvals: false, auditEvents: false },
    },
    less: DEFAULT_OBJECTS.filter((title) => title.includes('AdmissionPolicy')),
  },
  'a permission for each environment': {
    values: { admission: { environmentPermissions: true } },
    more: policy('Validating', 'environment-permission'),
    environment: { VEXIL_ENVIRONMENT_PERMISSIONS: 'true' },
  },
  'nothing to begin with': { values: { defaults: { environments: [], project: '' } }, less: ['Job/vexil-defaults'] },
  'all that can be watched': {
    values: {
      networkPolicy: { enabled: true },
      serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
      prometheusRule: { enabled: true },
      dashboard: { enabled: true },
    },
    more: ['NetworkPolicy/vexil', 'ServiceMonitor/vexil', 'PrometheusRule/vexil', 'ConfigMap/vexil-dashboard-home'],
  },
  'every other setting': {
    values: { config: Object.fromEntries(examples.map(([name, example]) => [camelCased(name), asYaml(example)])) },
    environment: Object.fromEntries(examples.map(([name, example]) => [name, asRendered(example)])),
  },
  'a release of another name': {
    values: {},
    options: { release: 'flags' },
    more: [...renamed('flags-vexil')],
    less: [...renamed('vexil')],
  },
  'a name of ones own': {
    values: { fullnameOverride: 'switches' },
    more: [...renamed('switches')],
    less: [...renamed('vexil')],
  },
};

export const rows: Readonly<Record<string, Row>> = {
  'no values': {
    values: {},
    more: DEFINITIONS,
    environment: { VEXIL_NAMESPACE: 'home', VEXIL_AUTH: 'token', VEXIL_WATCH_NAMESPACES: undefined },
  },
  ...Object.fromEntries(
    Object.entries(withoutDefinitions).map(([title, row]) => [
      title,
      { ...row, values: { crds: { install: false }, ...row.values } },
    ]),
  ),
};

/** The objects that have the name of the release. */
function renamed(name: string): readonly string[] {
  return [
    ...[`Deployment/${name}`, `PersistentVolumeClaim/${name}-history`, `Secret/${name}-admin-token`],
    ...[`Service/${name}`, `ServiceAccount/${name}`, `Job/${name}-defaults`, `Pod/${name}-test`],
  ];
}

/** Values that the chart refuses, with the words that say why and what to do. */
export const refused: Readonly<
  Record<string, readonly [values: Values, words: RegExp | readonly RegExp[], options?: TemplateOptions]>
> = {
  'two replicas on SQLite': [
    { replicas: 2 },
    /replicas is 2.*SQLite.*audit\.postgres\.existingSecret, or set replicas to 1/s,
  ],
  'a volume and PostgreSQL': [
    { audit: { postgres: { existingSecret: 'a' }, sqlite: { existingClaim: 'b' } } },
    /"a".*"b".*set one of them/s,
  ],
  'an audit log from anyone': [
    { audit: { log: { receiver: { secretName: 'audit-log', token: false } } } },
    /token and audit\.log\.receiver\.clientCa are false.*set one of them to true/s,
  ],
  'two replicas without an election': [
    { replicas: 2, ...postgres, config: { leaderElection: false } },
    /config\.leaderElection is false.*leave it out, or set replicas to 1/s,
  ],
  'anonymous access': [{ auth: 'none' }, /auth is none.*config\.allowAnonymous=true/s],
  'two tokens': [{ adminToken: { existingSecret: 'mine' } }, /"mine" while adminToken\.create is true/],
  'a ServiceAccount without a name': [{ serviceAccount: { create: false } }, /set serviceAccount\.name/],
  'a setting in extraEnv': [{ extraEnv: [{ name: 'VEXIL_LOG_LEVEL', value: 'debug' }] }, /VEXIL_LOG_LEVEL.*config/s],
  'all namespaces and one': [{ watch: { namespaces: ['*', 'shop'] } }, /"\*" means all namespaces/],
  'values of other names and forms': [
    {
      ...{ replica: 2, replicas: 'two', auth: 'maybe', audit: { retention: 'long' } },
      ...{ config: { loglevel: 'debug', logLevel: 'loud' }, watch: { namespaces: ['Shop'] } },
    },
    [
      ...[/'replica'/, /\/replicas'/, /\/auth'/, /\/audit\/retention'/, /\/watch\/namespaces\/0'/],
      ...[/\/config'.*'loglevel'/, /\/config\/logLevel'.*'error', 'warn', 'info'/],
    ],
  ],
  'environment permissions on Kubernetes 1.34': [
    { admission: { environmentPermissions: true } },
    /environmentPermissions needs Kubernetes 1\.35/,
    { kubeVersion: '1.34.9' },
  ],
  'a cluster that is too old': [{}, /kubeVersion: >=1\.33\.0-0/, { kubeVersion: '1.32.0' }],
};
