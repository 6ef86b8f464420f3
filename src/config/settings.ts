/** The environment variables that Vexil obeys, each with what it accepts. */
import { isIP } from 'node:net';
import { z } from 'zod';

/** What people read about one setting. */
export interface SettingFacts {
  readonly description: string;
  /** What a value must look like, as the end of the sentence "allowed: …". */
  readonly allowed: string;
  /** How the default is written for people; absent: the default itself. */
  readonly defaultText?: string;
  readonly example: string;
  /** The value is never shown. */
  readonly secret?: boolean;
}

const sizeUnits = { B: 1, kB: 1000, KiB: 1024, MB: 1000 ** 2, MiB: 1024 ** 2 } as const;
const smallestBody = 1024;
const largestBody = 100 * sizeUnits.MiB;
const usualBody = '100kB';
const usualImport = '5MiB';

/** The value of a size such as `100kB`; the pattern has been checked. */
function inBytes(text: string): number {
  const unit = /[A-Za-z]+$/.exec(text)?.[0] ?? 'B';
  return Number.parseInt(text, 10) * sizeUnits[unit as keyof typeof sizeUnits];
}

const label = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.number().max(65_535));

const size = z
  .string()
  .regex(/^\d{1,9} ?(B|kB|KiB|MB|MiB)?$/)
  .transform(inBytes)
  .pipe(z.number().min(smallestBody).max(largestBody));

const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*$/;
const looksLikeAddress = /^[\d.]+$/;

const host = z.string().refine((value) => isIP(value) !== 0 || (hostName.test(value) && !looksLikeAddress.test(value)));

const watched = z.union([
  z.literal('*'),
  z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(label)),
]);

const network = /^[0-9a-fA-F.:]+(\/\d{1,3})?$/;

function isNetwork(text: string): boolean {
  const [address = '', bits = '0'] = text.split('/');
  const widest = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return network.test(text) && Number(bits) <= widest;
}

const proxies = z.union([
  z
    .string()
    .regex(/^\d{1,2}$/)
    .transform(Number)
    .pipe(z.number().max(16)),
  z
    .string()
    .transform((list) => list.split(',').map((one) => one.trim()))
    .pipe(z.array(z.string().refine(isNetwork))),
]);

const usualManagers = [
  ...['argocd-controller', 'argocd-application-controller'],
  ...['kustomize-controller', 'helm-controller', 'helm'],
  ...['fleetagent', 'fleet-agent', 'configsync*', 'configmanagement*'],
  '@apply',
].join(',');

/** Few `*`, as each makes comparing slower. */
const managerName = z
  .string()
  .regex(/^[^\s*]*(\*[^\s*]*){0,3}$/)
  .min(1)
  .max(128);

const managers = z.union([
  z.literal('none').transform((): string[] => []),
  z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(managerName).max(100)),
]);

const hours = { h: 1, d: 24 } as const;
const shortestRetention = 3_600_000;
const longestRetention = 36_500 * 24 * 3_600_000;
const usualRetention = '400d';

/** The value of a time such as `400d`; the pattern has been checked. */
function inMs(text: string): number {
  return Number.parseInt(text, 10) * hours[text.slice(-1) as keyof typeof hours] * 3_600_000;
}

const retention = z.union([
  z.literal('off'),
  z
    .string()
    .regex(/^\d{1,9}[hd]$/)
    .transform(inMs)
    .pipe(z.number().min(shortestRetention).max(longestRetention)),
]);

const usualTenure = '7d';

const tenure = z
  .string()
  .regex(/^\d{1,9}[hd]$/)
  .transform(inMs)
  .pipe(z.number().min(shortestRetention).max(longestRetention));

/** SQLite would take `:memory:` and `file:…` for something else than a path, and `//x` looks like a host. */
const sqlitePath = /^sqlite:(?!:|file:|\/\/[^/])[^\0]{1,4000}$/;

function isArchiveUrl(text: string): boolean {
  return sqlitePath.test(text) || isPostgresUrl(text);
}

function isPostgresUrl(text: string): boolean {
  const url = URL.parse(text);
  const hasHost = url?.hostname !== '' || url.searchParams.has('host');
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && hasHost && url.pathname.length > 1;
}

/** Nothing that has no meaning before a path, or ends a link in Markdown. */
const baseUrl = /^https?:\/\/[^\s@?#\\()<>]{1,2000}(?<!\/)$/;

function isBaseUrl(text: string): boolean {
  return baseUrl.test(text) && URL.canParse(text);
}

/** A path, as the kubelet or a person writes it. */
const filePath = z.string().regex(/^[^\0]{1,4000}$/);

const mostRequests = 1_000_000;

const rateLimit = z.union([
  z.literal('off'),
  z
    .string()
    .regex(/^\d{1,7}$/)
    .transform(Number)
    .pipe(z.number().min(1).max(mostRequests)),
]);

function fact<Schema extends z.ZodType>(schema: Schema, facts: SettingFacts): Schema {
  return schema.meta({ ...facts });
}

/** Every setting under the name of its variable. An empty value counts as absent. */
export const settings = z.object({
  VEXIL_NAMESPACE: fact(label.optional(), {
    description:
      'The home namespace: Environments, users, roles, tokens and strategy types live there, and Projects made through the API.',
    allowed: 'the name of a namespace: lower-case letters, digits and "-", 63 characters at most',
    defaultText: 'the namespace of the pod, outside of a cluster `vexil-system`',
    example: 'flags',
  }),
  VEXIL_WATCH_NAMESPACES: fact(watched.optional(), {
    description:
      'Where Projects and FeatureFlags are watched. The home namespace always is. Other namespaces need a Role there, `*` needs a ClusterRole.',
    allowed: 'names of namespaces with commas between them, or "*" alone for all',
    defaultText: 'the home namespace only',
    example: 'shop,billing',
  }),
  VEXIL_HTTP_HOST: fact(host.optional(), {
    description: 'The address on which the admin API listens.',
    allowed: 'an IP address without brackets, or a host name',
    defaultText: 'all addresses; with `VEXIL_AUTH=none` only 127.0.0.1, unless `VEXIL_ALLOW_ANONYMOUS=true`',
    example: '127.0.0.1',
  }),
  VEXIL_HTTP_PORT: fact(port.default(4242), {
    description: 'The port of the admin API.',
    allowed: 'a port number from 0 (any free port) to 65535',
    example: '8080',
  }),
  VEXIL_OPS_PORT: fact(port.default(8081), {
    description:
      'The port for probes: `/livez` tells that the process runs, `/readyz` that it can answer. It listens on all addresses.',
    allowed: 'a port number from 0 (any free port) to 65535, another one than VEXIL_HTTP_PORT',
    example: '9090',
  }),
  VEXIL_TLS_CERT_FILE: fact(filePath.optional(), {
    description:
      'The certificate of the admin API, PEM, with those between it and its authority behind it: then the port speaks https. A file that changes is taken up within seconds, without a restart. The port for probes stays http.',
    allowed: 'the path of a file; VEXIL_TLS_KEY_FILE is needed too',
    defaultText: 'none: http',
    example: '/etc/vexil/tls/tls.crt',
  }),
  VEXIL_TLS_KEY_FILE: fact(filePath.optional(), {
    description: 'The private key of that certificate, PEM, not encrypted.',
    allowed: 'the path of a file; VEXIL_TLS_CERT_FILE is needed too',
    defaultText: 'none: http',
    example: '/etc/vexil/tls/tls.key',
  }),
  VEXIL_AUTH: fact(z.enum(['token', 'none']).default('token'), {
    description: 'Who may use the admin API: `token` asks everyone for a token, `none` lets everyone do everything.',
    allowed: '"token" or "none"',
    example: 'none',
  }),
  VEXIL_ALLOW_ANONYMOUS: fact(z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' }).default(false), {
    description: 'Lets the admin API listen on other addresses than the loopback ones while `VEXIL_AUTH=none`.',
    allowed: '"true" or "false"',
    example: 'true',
  }),
  VEXIL_ADMIN_TOKEN: fact(
    z
      .string()
      .regex(/^[\x21-\x7e]{16,512}$/)
      .optional(),
    {
      description: 'A token that may do everything, for the first steps. Take it from a Secret.',
      allowed:
        '16 to 512 printable ASCII characters without white space, such as "*:*." with 64 hexadecimal digits after it',
      defaultText: 'no such token',
      example: '*:*.<64 hexadecimal digits>',
      secret: true,
    },
  ),
  VEXIL_ENVIRONMENT_PERMISSIONS: fact(
    z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' }).default(false),
    {
      description:
        'Whether users of Kubernetes need the verb `change-flags` on `environments.vexil.dev`, by the name of the environment and in the namespace of what they write, to change what is in effect in it. Set it together with `config/admission/opt-in/environment-permission.yaml`, which asks the same of kubectl and Git.',
      allowed: '"true" or "false"',
      example: 'true',
    },
  ),
  VEXIL_PROTECTED_MANAGERS: fact(managers.prefault(usualManagers), {
    description:
      'Field managers whose fields the admin API does not write, unless it is told to: those that set them back. `@apply` stands for all that use server-side apply, but for kubectl; `none` protects nobody. Vexil itself never counts.',
    allowed:
      '"none", or up to 100 names of field managers with commas between them, of at most 128 characters, in which "*" stands for any text, or "@apply"',
    defaultText: `\`${usualManagers}\``,
    example: 'argocd-controller,kustomize-controller',
  }),
  VEXIL_TRUST_PROXY: fact(proxies.default(0), {
    description:
      'How many proxies stand before the admin API, or their addresses: then the caller is whom they name in `X-Forwarded-For`. It appears in the history of changes.',
    allowed: 'a number from 0 to 16, or IP addresses and networks with commas between them',
    example: '10.0.0.0/8',
  }),
  VEXIL_PUBLIC_URL: fact(z.string().refine(isBaseUrl).optional(), {
    description:
      'Where people reach Vexil, or what shows its flags to them. The summaries of events link to flags and projects below it.',
    allowed: 'an http or https URL without credentials, query, fragment and slash at its end',
    defaultText: 'none: links are paths',
    example: 'https://flags.example.com',
  }),
  VEXIL_AUDIT_URL: fact(z.string().refine(isArchiveUrl).default('sqlite:vexil-audit.db'), {
    description:
      'Where the history of changes is kept: in an SQLite file of this replica, or in a PostgreSQL database, which several replicas share. A path that does not begin with a slash is taken from the working directory: in a pod name a file on a volume, as its own file system may be read-only and ends with it. While the archive cannot be opened, changes work all the same and the history waits. Take a URL with a password from a Secret.',
    allowed: '"sqlite:PATH", or "postgres://USER:PASSWORD@HOST:PORT/DATABASE"',
    example: 'sqlite:/var/lib/vexil/audit.db',
    secret: true,
  }),
  VEXIL_AUDIT_RETENTION: fact(retention.prefault(usualRetention), {
    description:
      'How long the history is kept; `off`: for ever. It holds names, and addresses of callers. The default is a year, which audits ask for, and a month to compare with.',
    allowed: '"off", or a whole number of hours or days from 1h to 36500d',
    defaultText: usualRetention,
    example: '90d',
  }),
  VEXIL_NAME_TENURE: fact(tenure.prefault(usualTenure), {
    description:
      'How long the name of a project or a flag stays with its namespace after the last object of that name there was deleted. Objects in other namespaces cannot have the name meanwhile. Without effect where one namespace is watched.',
    allowed: 'a whole number of hours or days from 1h to 36500d',
    defaultText: usualTenure,
    example: '30d',
  }),
  VEXIL_RATE_LIMIT: fact(rateLimit.default('off'), {
    description:
      'How many requests within a minute the admin API takes of one token, of one user of Kubernetes, and, of those that it knows nobody by, of one address. Beyond that it answers 429. Each replica counts for itself.',
    allowed: '"off", or a whole number of requests for each minute from 1 to 1000000',
    example: '600',
  }),
  VEXIL_BODY_LIMIT: fact(size.prefault(usualBody), {
    description:
      'The largest request body that the admin API reads. It may have a value (text, number, list or object) for each 16 bytes of this, and 50,000 in any case.',
    allowed: 'a whole number of bytes, or of B, kB (1000), KiB (1024), MB or MiB, from 1KiB to 100MiB',
    defaultText: usualBody,
    example: '256KiB',
  }),
  VEXIL_IMPORT_LIMIT: fact(size.prefault(usualImport), {
    description:
      'The largest state document that `POST /api/admin/state/import` reads. It may have a value (text, number, list or object) for each 16 bytes of this, and while it is imported, it takes up to sixty times as much memory: 10,000 flags are about 30 MB with 1.4 million values.',
    allowed: 'a whole number of bytes, or of B, kB (1000), KiB (1024), MB or MiB, from 1KiB to 100MiB',
    defaultText: usualImport,
    example: '50MiB',
  }),
  VEXIL_LEADER_ELECTION: fact(z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' }).default(true), {
    description:
      'Replicas agree on one that reconciles, by a Lease in the home namespace. `false` is for a single process alone.',
    allowed: '"true" or "false"',
    example: 'false',
  }),
  VEXIL_LOG_LEVEL: fact(z.enum(['error', 'warn', 'info', 'debug']).default('info'), {
    description: 'How much is logged: `info` is what a person would want to know, `debug` is everything.',
    allowed: '"error", "warn", "info" or "debug"',
    example: 'debug',
  }),
  KUBECONFIG: fact(z.string().optional(), {
    description: 'Which kubeconfig files tell how to reach the API server.',
    allowed: 'paths of files, written as for kubectl',
    defaultText: "the kubeconfig of the home folder, else the pod's service account",
    example: '/etc/vexil/kubeconfig',
  }),
});

export type SettingName = keyof typeof settings.shape;

/** The names of all settings. */
export const settingNames = Object.keys(settings.shape) as readonly SettingName[];

/** What people read about a setting. */
export function factsOf(name: SettingName): SettingFacts {
  return settings.shape[name].meta() as unknown as SettingFacts;
}
