/** The options of Unleash Edge that are no settings of this program, by the names of their variables. */

/** Without them, this program would do something else than what was asked for: each with what to use instead. */
export const refusedOptions: Readonly<Record<string, string>> = {
  REDIS_URL: 'use BACKUP_FOLDER: each edge keeps its own state',
  REDIS_HOST: 'use BACKUP_FOLDER: each edge keeps its own state',
  S3_BUCKET_NAME: 'use BACKUP_FOLDER on a volume',
  PKCS12_IDENTITY_FILE: 'use PKCS8_CLIENT_CERTIFICATE_FILE and PKCS8_CLIENT_KEY_FILE',
  PEM_CERT_FILE: 'use PKCS8_CLIENT_CERTIFICATE_FILE and PKCS8_CLIENT_KEY_FILE, which may both name this file',
  SKIP_SSL_VERIFICATION: 'use UPSTREAM_CERTIFICATE_FILE with the authority of the upstream',
  TOKEN_HEADER: 'tokens are read from the header Authorization, and sent in it',
  EDGE_AUTH_HEADER: 'tokens are read from the header Authorization',
  UPSTREAM_AUTH_HEADER: 'tokens are sent to the upstream in the header Authorization',
  TLS_SERVER_PORT: 'use PORT: with a certificate, it serves https',
  TRUST_PROXY: 'use PROXY_TRUSTED_SERVERS with the number of proxies, or their addresses',
  ALLOW_LIST: 'use a NetworkPolicy, or the proxy in front of the edge',
  DENY_LIST: 'use a NetworkPolicy, or the proxy in front of the edge',
  DISABLE_ALL_ENDPOINT: 'let the proxy in front of the edge refuse /api/frontend/all',
  DISABLE_METRICS_ENDPOINT: 'let the proxy in front of the edge refuse /internal-backstage',
  PRETRUSTED_TOKENS: 'use TOKENS: the upstream confirms them',
  FRONTEND_TOKENS: 'use TOKENS, which any endpoint takes',
  PROMETHEUS_REMOTE_WRITE_URL: 'let Prometheus read /internal-backstage/metrics',
};

/** They have no effect, each with the reason. */
export const needlessOptions: Readonly<Record<string, string>> = {
  STREAMING: 'streams are used where the upstream has them',
  DELTA: 'streams are used where the upstream has them',
  DYNAMIC: 'unknown tokens are asked about, unless STRICT is set',
  WORKERS: 'one process uses one core; use replicas',
  APP_NAME: 'the edge is called vexil-edge at the upstream; INSTANCE_ID tells edges apart',
  LOG_FORMAT: 'each line of the log is JSON',
  RUST_LOG: 'use VEXIL_EDGE_LOG_LEVEL',
  TOKEN_REVALIDATION_INTERVAL_SECONDS: 'tokens are confirmed every 40 seconds',
  RELOAD_INTERVAL: 'files are read again when they change',
  TLS_ENABLE: 'https is served if TLS_SERVER_CERT and TLS_SERVER_KEY are set',
  REDIRECT_HTTP_TO_HTTPS: 'with a certificate, nothing is served over http',
  CORS_ALLOWED_HEADERS: 'browsers may send any header',
  CORS_EXPOSED_HEADERS: 'browsers may read the headers that SDKs need',
  CORS_METHODS: 'the methods are those of each endpoint',
  CORS_MAX_AGE: 'browsers keep the answer for a day',
  UPSTREAM_REQUEST_TIMEOUT: 'an answer must begin within 10 seconds, and end within a minute',
  UPSTREAM_SOCKET_TIMEOUT: 'an answer must begin within 10 seconds, and end within a minute',
  CLIENT_KEEPALIVE_TIMEOUT: 'connections to the upstream are kept',
  EDGE_REQUEST_TIMEOUT: 'requests have limits of their own',
  EDGE_KEEPALIVE_TIMEOUT: 'connections have limits of their own',
  DISABLE_METRICS_BATCH_ENDPOINT: 'there is no such endpoint',
  DISABLE_FEATURES_ENDPOINT: 'there is no such endpoint',
  DISABLE_TOKENS_ENDPOINT: 'there is no such endpoint',
  DISABLE_INSTANCE_DATA_ENDPOINT: 'there is no such endpoint',
  ENABLE_POST_FEATURES: 'SDKs read flags with GET',
  S3_FORCE_PATH_STYLE: 'it belongs to S3_BUCKET_NAME',
  PKCS12_PASSPHRASE: 'it belongs to PKCS12_IDENTITY_FILE',
  REDIS_MODE: 'it belongs to REDIS_URL',
  REDIS_PASSWORD: 'it belongs to REDIS_URL',
  REDIS_USERNAME: 'it belongs to REDIS_URL',
  REDIS_PORT: 'it belongs to REDIS_URL',
  REDIS_SECURE: 'it belongs to REDIS_URL',
  REDIS_SCHEME: 'it belongs to REDIS_URL',
  REDIS_READ_CONNECTION_TIMEOUT_MILLISECONDS: 'it belongs to REDIS_URL',
  REDIS_WRITE_CONNECTION_TIMEOUT_MILLISECONDS: 'it belongs to REDIS_URL',
  PROMETHEUS_PUSH_INTERVAL: 'it belongs to PROMETHEUS_REMOTE_WRITE_URL',
  PROMETHEUS_USERNAME: 'it belongs to PROMETHEUS_REMOTE_WRITE_URL',
  PROMETHEUS_PASSWORD: 'it belongs to PROMETHEUS_REMOTE_WRITE_URL',
  PROMETHEUS_USER_ID: 'it belongs to PROMETHEUS_REMOTE_WRITE_URL',
  SENTRY_DSN: 'errors are in the log',
  SENTRY_TRACING_RATE: 'there are no traces',
  SENTRY_DEBUG: 'errors are in the log',
  SENTRY_ENABLE_LOGS: 'errors are in the log',
  DATADOG_URL: 'let the agent read /internal-backstage/metrics',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'there are no traces',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'there are no traces',
};

/** The option with the name of the variable: that of `BACKUP_FOLDER` is `--backup-folder`. */
export function optionNamed(variable: string): string {
  return `--${variable.toLowerCase().replaceAll('_', '-')}`;
}

/** The short options of Unleash Edge that mean something else before a command, or in a command. */
const shortOptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  before: { '-b': '--base-path' },
  edge: { '-p': '--pretrusted-tokens' },
  offline: { '-b': '--bootstrap-file', '-c': '--client-tokens', '-f': '--frontend-tokens' },
  health: { '-c': '--ca-certificate-file' },
  ready: { '-c': '--ca-certificate-file' },
};

const commands: ReadonlySet<string> = new Set(['edge', 'offline', 'health', 'ready']);

/** Arguments as of `unleash-edge -p 3063 edge -b backup`, for this program, which has options in any place. */
export function readUnleashArguments(given: readonly string[]): readonly string[] {
  const isCommand = (one: string, index: number) => commands.has(one) && !/^-[^=]*$/.test(given[index - 1] ?? '');
  const at = given.findIndex(isCommand);
  const command = given[at];
  const long = (part: string, words: readonly string[]) => words.map((one) => shortOptions[part]?.[one] ?? one);
  if (command === undefined) return given;
  const action = command === 'health' || command === 'ready' ? [command] : [];
  return [...action, ...long('before', given.slice(0, at)), ...long(command, given.slice(at + 1))];
}
