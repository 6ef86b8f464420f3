/** The settings of the edge: options of its command, or environment variables, those of Unleash Edge among them. */
import { z } from 'zod';
import { Refusal } from '../errors.ts';

interface Setting {
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
    flags: '--upstream-url <urls>',
    variables: ['VEXIL_EDGE_UPSTREAM_URL', 'UPSTREAM_URL'],
    description:
      'the URL of Vexil, another edge, Unleash or Unleash Edge, without /api; several with commas, the next is used when one fails',
  },
  tokens: {
    flags: '--tokens <tokens>',
    variables: ['VEXIL_EDGE_TOKENS', 'TOKENS'],
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
    flags: '--backup-folder <path>',
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
    flags: '--features-refresh-interval-seconds <seconds>',
    variables: ['VEXIL_EDGE_FEATURES_REFRESH_INTERVAL_SECONDS', 'FEATURES_REFRESH_INTERVAL_SECONDS'],
    description: 'the interval of polls, where the upstream has no streams',
    default: '15',
  },
  metricsInterval: {
    flags: '--metrics-interval-seconds <seconds>',
    variables: ['VEXIL_EDGE_METRICS_INTERVAL_SECONDS', 'METRICS_INTERVAL_SECONDS'],
    description: 'the interval at which usage is sent to the upstream',
    default: '60',
  },
  host: {
    flags: '--interface <address>',
    variables: ['VEXIL_EDGE_INTERFACE', 'INTERFACE'],
    description: 'the address to listen on; absent: all',
  },
  port: {
    flags: '--port <port>',
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
    flags: '--custom-client-headers <headers>',
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

/** Settings of Unleash Edge that this program cannot honour, each with what to do. */
const refused: Readonly<Record<string, string>> = {
  REDIS_URL: 'use BACKUP_FOLDER: each edge keeps its own state',
  S3_BUCKET_NAME: 'use BACKUP_FOLDER on a volume',
  PKCS12_IDENTITY_FILE: 'use PKCS8_CLIENT_CERTIFICATE_FILE and PKCS8_CLIENT_KEY_FILE',
  SKIP_SSL_VERIFICATION: 'use UPSTREAM_CERTIFICATE_FILE with the authority of the upstream',
  TOKEN_HEADER: 'tokens are read from the header Authorization',
  TLS_SERVER_PORT: 'use PORT: with a certificate, it serves https',
  PROMETHEUS_REMOTE_WRITE_URL: 'let Prometheus read /internal-backstage/metrics',
  BOOTSTRAP_FILE: 'the mode without an upstream is not there yet',
};

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== ''),
);

const url = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    'a URL begins with http:// or https://',
  )
  .refine((text) => !new URL(text).pathname.replace(/\/$/, '').endsWith('/api'), 'the URL is the one without /api')
  .transform((text) => new URL(text));

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const duration = z
  .string()
  .regex(/^\d{1,6}(ms|s|m|h|d)$/, 'a duration is a number with a unit: 30s, 10m, 1h')
  .transform((text) => Number.parseInt(text, 10) * units[(/[a-z]+$/.exec(text)?.[0] ?? 'ms') as keyof typeof units]);

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));

const proxies = z.union([
  whole(0, 100),
  list.pipe(z.array(z.string().regex(/^[0-9a-fA-F.:]+(\/\d{1,3})?$/, 'an address or a range'))),
]);

const headers = list.pipe(
  z
    .array(z.string().regex(/^[\w-]+[=:].*$/, 'a header is name=value'))
    .transform((all) =>
      Object.fromEntries(all.map((one) => [one.split(/[=:]/)[0], one.replace(/^[\w-]+[=:]\s*/, '')])),
    ),
);

const settingsShape = z.object({
  upstreamUrl: list.pipe(z.array(url).min(1, 'needed: the URL of Vexil, another edge or Unleash')),
  tokens: list.default([]),
  tokensFile: z.string().optional(),
  strict: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  backupFolder: z.string().optional(),
  trustTokensFor: duration,
  maxStaleness: duration.optional(),
  refresh: whole(1, 3600),
  metricsInterval: whole(1, 3600),
  host: z.string().optional(),
  port: whole(0, 65_535),
  basePath: z
    .string()
    .regex(/^(\/[\w.~-]+)*\/?$/, 'a path begins with /')
    .transform((path) => path.replace(/\/$/, ''))
    .default(''),
  tlsCert: z.string().optional(),
  tlsKey: z.string().optional(),
  upstreamCa: z.string().optional(),
  clientCert: z.string().optional(),
  clientKey: z.string().optional(),
  headers: headers.default({}),
  origins: z.union([z.literal('*'), list]),
  trustedProxies: proxies,
  maxStreams: whole(1, 1_000_000),
  requestsPerMinute: whole(1, 1_000_000).optional(),
  logLevel: z.enum(['error', 'warn', 'info', 'debug']),
});

export type EdgeSettings = z.output<typeof settingsShape>;

type Given = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from the options of the command and the environment; options take precedence. Throws `invalid`
 * with one detail for each wrong setting.
 */
export function readEdgeSettings(options: Readonly<Record<string, unknown>>, environment: Given): EdgeSettings {
  const given = Object.fromEntries(
    Object.entries(edgeSettings).map(([name, setting]) => [
      name,
      textOf(setting, options[optionKey(setting)], environment),
    ]),
  );
  const read = settingsShape.safeParse(given);
  const wrong = [...refusedIn(environment), ...(read.success ? wrongTogether(read.data) : wrongIn(read.error))];
  if (read.success && wrong.length === 0) return read.data;
  const details = wrong.map((message) => ({ message }));
  throw new Refusal('invalid', `the settings of the edge are wrong: ${wrong.join('; ')}`, { details });
}

/** The name under which commander gives the value of an option. */
function optionKey({ flags }: Setting): string {
  const [long = ''] = /--[\w-]+/.exec(flags) ?? [];
  return long.slice(2).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function textOf(setting: Setting, option: unknown, environment: Given): string | undefined {
  if (option !== undefined) return String(option);
  const found = setting.variables.map((name) => environment[name]).find((value) => value);
  return (setting.isSwitch && found ? switchValue(found) : found) ?? setting.default;
}

function switchValue(text: string): string {
  return ['1', 'true', 'yes', 'on'].includes(text.toLowerCase()) ? 'true' : text.toLowerCase();
}

function refusedIn(environment: Given): readonly string[] {
  return Object.entries(refused).flatMap(([name, instead]) =>
    environment[name] ? [`${name} is not supported: ${instead}`] : [],
  );
}

function wrongIn({ issues }: z.ZodError): readonly string[] {
  return issues.map(({ path: [name], message }) => {
    const setting: Setting | undefined = edgeSettings[name as EdgeSettingName];
    return `${setting?.flags.split(' ')[0]} (${setting?.variables[0]}): ${message}`;
  });
}

function wrongTogether({ tlsCert, tlsKey, clientCert, clientKey, strict, tokens, tokensFile }: EdgeSettings) {
  return [
    ...((tlsCert === undefined) === (tlsKey === undefined)
      ? []
      : ['--tls-server-cert and --tls-server-key need each other']),
    ...((clientCert === undefined) === (clientKey === undefined)
      ? []
      : ['--pkcs8-client-certificate-file and --pkcs8-client-key-file need each other']),
    ...(strict && tokens.length === 0 && tokensFile === undefined ? ['--strict needs --tokens or --tokens-file'] : []),
  ];
}
