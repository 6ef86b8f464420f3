/** Values of the chart vexil-edge, each with the expected objects. */
import type { TemplateOptions, Values } from '../tools/helm.ts';

const URL = 'https://flags.example.com';

/** The values without which there is no edge. */
export const edgeBasics = { upstream: { urls: [URL] } };

export const EDGE_OBJECTS: readonly string[] = [
  ...['Deployment/vexil-edge', 'Service/vexil-edge', 'PodDisruptionBudget/vexil-edge', 'Pod/vexil-edge-test'],
];

export interface EdgeRow {
  readonly values: Values;
  readonly options?: TemplateOptions;
  /** Objects that render only with these values; `less` are objects that do not render with them. */
  readonly more?: readonly string[];
  readonly less?: readonly string[];
  /** What the edge reads from its variables; the rest is as without values. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export const edgeRows: Readonly<Record<string, EdgeRow>> = {
  'nothing but an upstream': {
    values: {},
    settings: {
      upstreamUrl: [`${URL}/`],
      port: 3063,
      backupFolder: '/var/lib/vexil-edge/backup',
      tokensFile: undefined,
    },
  },
  'every setting, two upstreams and all secrets': {
    values: {
      upstream: {
        urls: ['https://one.example.com', 'http://vexil.vexil-system.svc:4242'],
        ca: { existingSecret: 'upstream-ca' },
        clientCertificate: { secretName: 'client' },
        headers: { existingSecret: 'headers' },
      },
      tokens: { existingSecret: 'edge-tokens', key: 'all' },
      tls: { secretName: 'certificate' },
      config: {
        ...{ trustTokensFor: '2h', maxStaleness: '30m', featuresRefreshIntervalSeconds: 30, basePath: '/flags' },
        ...{ metricsIntervalSeconds: '90', corsOrigin: ['https://a.example.com', 'https://b.example.com'] },
        ...{ trustedProxies: 1, maxStreams: 1_000_000, requestsPerMinute: 6000, logLevel: 'debug', strict: true },
        maxConnections: 1_000_000,
      },
    },
    settings: {
      upstreamUrl: ['https://one.example.com/', 'http://vexil.vexil-system.svc:4242/'],
      upstreamCa: '/etc/vexil-edge/upstream-ca/ca.crt',
      clientCert: '/etc/vexil-edge/client-certificate/tls.crt',
      clientKey: '/etc/vexil-edge/client-certificate/tls.key',
      headers: { 'X-From': 'a-secret' },
      tokensFile: '/etc/vexil-edge/tokens/tokens',
      tlsCert: '/etc/vexil-edge/tls/tls.crt',
      tlsKey: '/etc/vexil-edge/tls/tls.key',
      ...{ trustTokensFor: 7_200_000, maxStaleness: 1_800_000, refresh: 30, basePath: '/flags', metricsInterval: 90 },
      ...{ origins: ['https://a.example.com', 'https://b.example.com'], trustedProxies: 1, maxStreams: 1_000_000 },
      ...{ requestsPerMinute: 6000, logLevel: 'debug', maxConnections: 1_000_000, strict: true },
    },
  },
  'one pod without a backup': {
    values: { backup: { enabled: false }, replicas: 1 },
    less: ['PodDisruptionBudget/vexil-edge'],
    settings: { backupFolder: undefined },
  },
  'a backup that outlives its pod': {
    values: { backup: { size: '2Gi', persistent: { enabled: true, storageClassName: 'fast' } } },
    more: ['StatefulSet/vexil-edge'],
    less: ['Deployment/vexil-edge'],
  },
  'as many pods as are needed, and all that protects and watches them': {
    values: {
      autoscaling: { enabled: true, behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } },
      ...{ networkPolicy: { enabled: true }, serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
      ...{ prometheusRule: { enabled: true }, dashboard: { enabled: true } },
    },
    more: [
      ...['HorizontalPodAutoscaler/vexil-edge', 'NetworkPolicy/vexil-edge', 'ServiceMonitor/vexil-edge'],
      ...['PrometheusRule/vexil-edge', 'ConfigMap/vexil-edge-dashboard-edge-chart'],
    ],
  },
  'a release of another name': {
    values: {},
    options: { release: 'shop' },
    more: EDGE_OBJECTS.map((title) => title.replace('/vexil-edge', '/shop-vexil-edge')),
    less: EDGE_OBJECTS,
  },
};

/** Values that the chart refuses, with the words that say why and what to do. helm reports all of a schema at once. */
export const edgeRefused: Readonly<Record<string, readonly [values: Values, ...words: RegExp[]]>> = {
  'no upstream': [{ upstream: { urls: [] } }, /upstream\.urls is empty.*--set 'upstream\.urls=/s],
  'a URL with /api': [{ upstream: { urls: [`${URL}/api/`] } }, /upstream\.urls has .*name the URL without \/api/s],
  'a URL that is a text with commas': [{ upstream: { urls: `${URL},${URL}` } }, /upstream.*urls.*array/s],
  'given tokens only, and none given': [
    { config: { strict: true } },
    /config\.strict is true.*tokens\.existingSecret/s,
  ],
  'a token as a variable': [
    { extraEnv: [{ name: 'TOKENS', value: '*:production.secret' }] },
    /extraEnv sets TOKENS.*use tokens\.existingSecret/s,
  ],
  'a setting as a variable': [{ extraEnv: [{ name: 'VEXIL_EDGE_LOG_LEVEL', value: 'debug' }] }, /use config\.logLevel/],
  'a variable that Unleash Edge has, and this one does not': [
    { extraEnv: [{ name: 'REDIS_URL', value: 'redis://cache' }] },
    /REDIS_URL.*each edge keeps its own state/s,
  ],
  'a variable with a wrong name': [{ extraEnv: [{ name: 'VEXIL_EDGE_LOGLEVEL', value: 'debug' }] }, /is no setting/],
  'a persistent backup without a backup': [
    { backup: { enabled: false, persistent: { enabled: true } } },
    /backup\.enabled is false: set both, or none/,
  ],
  'more pods at least than at most': [
    { autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 3 } },
    /minReplicas is 5.*maxReplicas is 3/s,
  ],
  'autoscaling without a request': [
    { autoscaling: { enabled: true }, resources: { requests: null } },
    /resources\.requests\.cpu is absent/,
  ],
  'a value and a setting that there are not, tokens in plain text, and values of a wrong form': [
    {
      replica: 2,
      tokens: ['*:production.secret'],
      upstream: { urls: ['https://user:secret@a.example.com', 'flags.example.com'] },
      config: { loglevel: 'debug', logLevel: 'loud', maxStaleness: '60', basePath: 'flags' },
    },
    /'': additional properties 'replica' not allowed/,
    /config': additional properties 'loglevel' not allowed/,
    /tokens': got array, want object/,
    /urls\/0': .*:secret@.*pattern/,
    /urls\/1': 'flags.*pattern/,
    /logLevel': value must be one of/,
    /maxStaleness': '60' .*pattern/,
    /basePath': 'flags' .*pattern/,
  ],
};
