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
  'two upstreams, an authority, a client certificate and headers': {
    values: {
      upstream: {
        urls: ['https://one.example.com', 'http://vexil.vexil-system.svc:4242'],
        ca: { existingSecret: 'upstream-ca' },
        clientCertificate: { secretName: 'client' },
        headers: { existingSecret: 'headers' },
      },
    },
    settings: {
      upstreamUrl: ['https://one.example.com/', 'http://vexil.vexil-system.svc:4242/'],
      upstreamCa: '/etc/vexil-edge/upstream-ca/ca.crt',
      clientCert: '/etc/vexil-edge/client-certificate/tls.crt',
      clientKey: '/etc/vexil-edge/client-certificate/tls.key',
      headers: { 'X-From': 'a-secret' },
    },
  },
  'tokens, and no others': {
    values: { tokens: { existingSecret: 'edge-tokens', key: 'all' }, config: { strict: true } },
    settings: { tokensFile: '/etc/vexil-edge/tokens/tokens', strict: true },
  },
  'no backup': { values: { backup: { enabled: false } }, settings: { backupFolder: undefined } },
  'a backup that outlives its pod': {
    values: { backup: { size: '2Gi', persistent: { enabled: true, storageClassName: 'fast' } } },
    more: ['StatefulSet/vexil-edge'],
    less: ['Deployment/vexil-edge'],
  },
  'one pod': { values: { replicas: 1 }, less: ['PodDisruptionBudget/vexil-edge'] },
  'as many pods as are needed': {
    values: { autoscaling: { enabled: true, behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } } },
    more: ['HorizontalPodAutoscaler/vexil-edge'],
  },
  HTTPS: {
    values: { tls: { secretName: 'certificate' } },
    settings: { tlsCert: '/etc/vexil-edge/tls/tls.crt', tlsKey: '/etc/vexil-edge/tls/tls.key' },
  },
  'every other setting': {
    values: {
      config: {
        ...{ trustTokensFor: '2h', maxStaleness: '30m', featuresRefreshIntervalSeconds: 30, basePath: '/flags' },
        ...{ metricsIntervalSeconds: '90', corsOrigin: ['https://a.example.com', 'https://b.example.com'] },
        ...{ trustedProxies: 1, maxStreams: 1_000_000, requestsPerMinute: 6000, logLevel: 'debug', strict: false },
        maxConnections: 1_000_000,
      },
    },
    settings: {
      ...{ trustTokensFor: 7_200_000, maxStaleness: 1_800_000, refresh: 30, basePath: '/flags', metricsInterval: 90 },
      ...{ origins: ['https://a.example.com', 'https://b.example.com'], trustedProxies: 1, maxStreams: 1_000_000 },
      ...{ requestsPerMinute: 6000, logLevel: 'debug', maxConnections: 1_000_000 },
    },
  },
  'all that protects it and watches it': {
    values: {
      ...{ networkPolicy: { enabled: true }, serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
      ...{ prometheusRule: { enabled: true }, dashboard: { enabled: true } },
    },
    more: [
      ...['NetworkPolicy/vexil-edge', 'ServiceMonitor/vexil-edge', 'PrometheusRule/vexil-edge'],
      'ConfigMap/vexil-edge-dashboard-edge-chart',
    ],
  },
  'a release of another name': {
    values: {},
    options: { release: 'shop' },
    more: EDGE_OBJECTS.map((title) => title.replace('/vexil-edge', '/shop-vexil-edge')),
    less: EDGE_OBJECTS,
  },
};

/** Values that the chart refuses, with the words that say why and what to do. */
export const edgeRefused: Readonly<Record<string, readonly [values: Values, words: RegExp]>> = {
  'no upstream': [{ upstream: { urls: [] } }, /upstream\.urls is empty.*--set 'upstream\.urls=/s],
  'a URL with /api': [{ upstream: { urls: [`${URL}/api/`] } }, /upstream\.urls has .*name the URL without \/api/s],
  'a URL with a password': [{ upstream: { urls: ['https://user:secret@a.example.com'] } }, /upstream.*urls.*pattern/s],
  'a URL without a protocol': [{ upstream: { urls: ['flags.example.com'] } }, /upstream.*urls.*pattern/s],
  'a URL that is a text with commas': [{ upstream: { urls: `${URL},${URL}` } }, /upstream.*urls.*array/s],
  'given tokens only, and none given': [
    { config: { strict: true } },
    /config\.strict is true.*tokens\.existingSecret/s,
  ],
  'tokens in plain text': [{ tokens: ['*:production.secret'] }, /tokens.*object/s],
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
  'a value that there is not': [{ replica: 2 }, /replica/],
  'a setting that there is not': [{ config: { loglevel: 'debug' } }, /config.*loglevel/s],
  'a setting with a wrong value': [{ config: { logLevel: 'loud' } }, /logLevel.*value must be one of/s],
  'a duration without a unit': [{ config: { maxStaleness: '60' } }, /maxStaleness.*pattern/s],
  'a base path without a slash': [{ config: { basePath: 'flags' } }, /basePath.*pattern/s],
};
