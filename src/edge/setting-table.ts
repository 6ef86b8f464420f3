/** The settings of the edge: options of its command, or environment variables, those of Unleash Edge among them. */
import { optionNamed } from './unleash-edge-options.ts';

export interface Setting {
  /** As commander reads it. */
  readonly flags: string;
  /** The first one that has a value counts. Names without a prefix are those of Unleash Edge. */
  readonly variables: readonly string[];
  readonly description: string;
  readonly isSwitch?: true;
  readonly default?: string;
}

export const edgeSettings = {
  upstreamUrl: {
    flags: '-u, --upstream-url <urls>',
    variables: ['VEXIL_EDGE_UPSTREAM_URL', 'UPSTREAM_URL'],
    description:
      'the URL of Vexil, another edge, Unleash or Unleash Edge, without /api; several with commas, the next is used when one fails',
  },
  from: {
    flags: '--from <path>',
    variables: ['VEXIL_EDGE_FROM', 'BOOTSTRAP_FILE'],
    description:
      'in place of an upstream: a file or folder with the answers of client/features or bootstrap files of SDKs, or with manifests',
  },
  tokens: {
    flags: '-t, --tokens <tokens>',
    variables: ['VEXIL_EDGE_TOKENS', 'TOKENS', 'CLIENT_TOKENS'],
    description:
      'tokens to start with, separated by commas; other users of the machine can read options, so prefer the variable or the file',
  },
  tokensFile: {
    flags: '--tokens-file <path>',
    variables: ['VEXIL_EDGE_TOKENS_FILE'],
    description: 'a file with one token in each line',
  },
  strict: {
    flags: '--strict',
    variables: ['VEXIL_EDGE_STRICT', 'STRICT'],
    description: 'refuse tokens that were not given at the start, without asking the upstream',
    isSwitch: true,
  },
  backupFolder: {
    flags: '-b, --backup-folder <path>',
    variables: ['VEXIL_EDGE_BACKUP_FOLDER', 'BACKUP_FOLDER'],
    description: 'the folder of the last good state, for a start without the upstream',
  },
  trustTokensFor: {
    flags: '--trust-tokens-for <duration>',
    variables: ['VEXIL_EDGE_TRUST_TOKENS_FOR'],
    description: 'how long a token works while the upstream cannot confirm it',
    default: '1h',
  },
  maxStaleness: {
    flags: '--max-staleness <duration>',
    variables: ['VEXIL_EDGE_MAX_STALENESS'],
    description: 'not ready while the state of a scope is older than this; absent: an old state stays ready',
  },
  refresh: {
    flags: '-f, --features-refresh-interval-seconds <seconds>',
    variables: ['VEXIL_EDGE_FEATURES_REFRESH_INTERVAL_SECONDS', 'FEATURES_REFRESH_INTERVAL_SECONDS'],
    description: 'the interval of polls, where the upstream has no streams',
    default: '15',
  },
  metricsInterval: {
    flags: '-m, --metrics-interval-seconds <seconds>',
    variables: ['VEXIL_EDGE_METRICS_INTERVAL_SECONDS', 'METRICS_INTERVAL_SECONDS'],
    description: 'the interval at which usage is sent to the upstream',
    default: '60',
  },
  instanceId: {
    flags: '--instance-id <name>',
    variables: ['VEXIL_EDGE_INSTANCE_ID', 'INSTANCE_ID'],
    description: 'the name of this edge at the upstream; absent: the name of the machine',
  },
  host: {
    flags: '-i, --interface <address>',
    variables: ['VEXIL_EDGE_INTERFACE', 'INTERFACE'],
    description: 'the address to listen on; absent: all',
  },
  port: {
    flags: '-p, --port <port>',
    variables: ['VEXIL_EDGE_PORT', 'PORT'],
    description: 'the port to listen on',
    default: '3063',
  },
  basePath: {
    flags: '--base-path <path>',
    variables: ['VEXIL_EDGE_BASE_PATH', 'BASE_PATH'],
    description: 'a path in front of all endpoints, such as /flags',
  },
  tlsCert: {
    flags: '--tls-server-cert <path>',
    variables: ['VEXIL_EDGE_TLS_SERVER_CERT', 'TLS_SERVER_CERT'],
    description: 'the certificate to serve https with, in PEM; needs the key',
  },
  tlsKey: {
    flags: '--tls-server-key <path>',
    variables: ['VEXIL_EDGE_TLS_SERVER_KEY', 'TLS_SERVER_KEY'],
    description: 'the key of the certificate, in PEM',
  },
  upstreamCa: {
    flags: '--upstream-certificate-file <path>',
    variables: ['VEXIL_EDGE_UPSTREAM_CERTIFICATE_FILE', 'UPSTREAM_CERTIFICATE_FILE'],
    description: 'the authorities to trust at the upstream, in PEM',
  },
  clientCert: {
    flags: '--pkcs8-client-certificate-file <path>',
    variables: ['VEXIL_EDGE_CLIENT_CERTIFICATE_FILE', 'PKCS8_CLIENT_CERTIFICATE_FILE'],
    description: 'the certificate that the upstream asks this program for, in PEM',
  },
  clientKey: {
    flags: '--pkcs8-client-key-file <path>',
    variables: ['VEXIL_EDGE_CLIENT_KEY_FILE', 'PKCS8_CLIENT_KEY_FILE'],
    description: 'the key of that certificate, in PEM',
  },
  headers: {
    flags: '-H, --custom-client-headers <headers>',
    variables: ['VEXIL_EDGE_CUSTOM_CLIENT_HEADERS', 'CUSTOM_CLIENT_HEADERS'],
    description: 'headers for the upstream, as name=value, separated by commas',
  },
  origins: {
    flags: '--cors-origin <origins>',
    variables: ['VEXIL_EDGE_CORS_ORIGIN', 'CORS_ORIGIN'],
    description: 'the origins whose pages may read flags, separated by commas',
    default: '*',
  },
  trustedProxies: {
    flags: '--trusted-proxies <proxies>',
    variables: ['VEXIL_EDGE_TRUSTED_PROXIES', 'PROXY_TRUSTED_SERVERS'],
    description: 'the number of proxies in front of this program, or their addresses, separated by commas',
    default: '0',
  },
  maxStreams: {
    flags: '--max-streams <number>',
    variables: ['VEXIL_EDGE_MAX_STREAMS'],
    description: 'how many streams may be open',
    default: '10000',
  },
  maxConnections: {
    flags: '--max-connections <number>',
    variables: ['VEXIL_EDGE_MAX_CONNECTIONS'],
    description: 'how many connections may be open, streams included; absent: 2000 more than streams',
  },
  requestsPerMinute: {
    flags: '--requests-per-minute <number>',
    variables: ['VEXIL_EDGE_REQUESTS_PER_MINUTE'],
    description: 'the limit of each token; absent: none',
  },
  logLevel: {
    flags: '--log-level <level>',
    variables: ['VEXIL_EDGE_LOG_LEVEL'],
    description: 'error, warn, info or debug',
    default: 'info',
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type EdgeSettingName = keyof typeof edgeSettings;

/** The long options of a setting: its own, and that of each name of Unleash Edge. */
export function longOptions({ flags, variables }: Setting): readonly [string, ...string[]] {
  const [own = ''] = /--[\w-]+/.exec(flags) ?? [];
  const others = variables.filter((name) => !name.startsWith('VEXIL_')).map(optionNamed);
  return [own, ...others.filter((name) => name !== own)];
}

/** The name under which commander gives the value of a long option. */
export function optionKey(long: string): string {
  return long.slice(2).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
