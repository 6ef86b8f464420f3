/** The settings: environment variables with their schemas and descriptions. */

import { isIP } from 'node:net';
import { z } from 'zod';
import { contextField } from '../model/context-field.ts';
import { DNS_LABEL, isNetwork, TOKEN_VALUE } from '../model/patterns.ts';
import { DEFAULT_PROTECTED_MANAGERS, protectedManagers } from '../model/protected-managers.ts';
import { auditLogSettings } from './audit-log-settings.ts';
import { fact, type SettingFacts } from './fact.ts';
import { historySettings } from './history-settings.ts';
import { oidcSettings } from './oidc-settings.ts';
import { ALLOWED_PERIODS, period } from './periods.ts';
import { sinkSettings } from './sink-settings.ts';
import { timingSettings } from './timing-settings.ts';
import { staleSettings, usageSettings } from './usage-settings.ts';
import { filePath, port } from './value-forms.ts';

const sizeUnits = { B: 1, kB: 1000, KiB: 1024, MB: 1000 ** 2, MiB: 1024 ** 2 } as const;
const smallestBody = 1024;
const largestBody = 100 * sizeUnits.MiB;
const defaultBody = '100kB';
const defaultImport = '5MiB';

/** The value of a size such as `100kB`; the pattern has been checked. */
function inBytes(text: string): number {
  const unit = /[A-Za-z]+$/.exec(text)?.[0] ?? 'B';
  return Number.parseInt(text, 10) * sizeUnits[unit as keyof typeof sizeUnits];
}

const label = z.string().regex(DNS_LABEL);

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

const defaultManagers = DEFAULT_PROTECTED_MANAGERS.join(',');

/** Whether the text is an origin in the form that browsers send. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text;
}

const origins = z.union([
  z.literal('*'),
  z.literal('none').transform((): string[] => []),
  z
    .string()
    .transform((list) => list.split(',').map((one) => one.trim().toLowerCase()))
    .pipe(z.array(z.string().refine(isOrigin)).max(100)),
]);

const defaultRetention = '400d';
const defaultTenure = '7d';
const defaultRequestRetention = '90d';

/** Excludes `:memory:` and `file:…`, which SQLite does not treat as paths, and `//x`, which looks like a host. */
const sqlitePath = /^sqlite:(?!:|file:|\/\/[^/])[^\0]{1,4000}$/;

function isArchiveUrl(text: string): boolean {
  return sqlitePath.test(text) || isPostgresUrl(text);
}

function isPostgresUrl(text: string): boolean {
  const url = URL.parse(text);
  const hasHost = url?.hostname !== '' || url.searchParams.has('host');
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && hasHost && url.pathname.length > 1;
}

/** Excludes the parts of a URL that cannot precede a path, and characters that end a link in Markdown. */
const baseUrl = /^https?:\/\/[^\s@?#\\()<>]{1,2000}(?<!\/)$/;

function isBaseUrl(text: string): boolean {
  return baseUrl.test(text) && URL.canParse(text);
}

const fields = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('no JSON');
      return z.NEVER;
    }
  })
  .pipe(z.array(contextField).max(100));

const maxRequests = 1_000_000;
const maxStreams = 100_000;
const defaultStreams = 5_000;
const defaultChangeStreams = 1_000;

const numberOfStreams = z
  .string()
  .regex(/^\d{1,6}$/)
  .transform(Number)
  .pipe(z.number().max(maxStreams));

const rateLimit = z.union([
  z.literal('off'),
  z
    .string()
    .regex(/^\d{1,7}$/)
    .transform(Number)
    .pipe(z.number().min(1).max(maxRequests)),
]);

/** Every setting under the name of its variable. An empty value counts as absent. */
export const settings = z.object({
  VEXIL_NAMESPACE: fact(label.optional(), {
    description:
      'The operator namespace. Environments, users, roles, tokens and strategy types live there, and Projects created through the API.',
    allowed: 'the name of a namespace: lower-case letters, digits and "-", 63 characters at most',
    defaultText: 'the namespace of the pod, outside of a cluster `vexil-system`',
    example: 'flags',
  }),
  VEXIL_WATCH_NAMESPACES: fact(watched.optional(), {
    description:
      'The namespaces in which Projects and FeatureFlags are watched. The operator namespace is always included. Other namespaces need a Role there, `*` needs a ClusterRole.',
    allowed: 'names of namespaces, separated by commas, or "*" alone for all',
    defaultText: 'the operator namespace only',
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
      'The port for probes and metrics: `/livez` is 200 while the process runs, `/readyz` while it can answer requests. It listens on all addresses.',
    allowed: 'a port number from 0 (any free port) to 65535, different from VEXIL_HTTP_PORT',
    example: '9090',
  }),
  VEXIL_TLS_CERT_FILE: fact(filePath.optional(), {
    description:
      'The certificate of the admin API in PEM, followed by intermediate certificates. It switches the port to https. A changed file is loaded within seconds, without a restart. The port for probes stays http.',
    allowed: 'the path of a file; requires VEXIL_TLS_KEY_FILE',
    defaultText: 'none: http',
    example: '/etc/vexil/tls/tls.crt',
  }),
  VEXIL_TLS_KEY_FILE: fact(filePath.optional(), {
    description: 'The private key of that certificate in PEM, not encrypted.',
    allowed: 'the path of a file; requires VEXIL_TLS_CERT_FILE',
    defaultText: 'none: http',
    example: '/etc/vexil/tls/tls.key',
  }),
  VEXIL_AUTH: fact(z.enum(['token', 'none']).default('token'), {
    description: 'Authentication of the admin API: `token` requires a token, `none` lets everyone do everything.',
    allowed: '"token" or "none"',
    example: 'none',
  }),
  VEXIL_ALLOW_ANONYMOUS: fact(z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' }).default(false), {
    description: 'Lets the admin API listen on addresses other than loopback while `VEXIL_AUTH=none`.',
    allowed: '"true" or "false"',
    example: 'true',
  }),
  VEXIL_ADMIN_TOKEN: fact(z.string().regex(TOKEN_VALUE).optional(), {
    description: 'A token with all permissions, for the first steps. Set it from a Secret.',
    allowed:
      '16 to 512 printable ASCII characters without white space, such as "*:*." with 64 hexadecimal digits after it',
    defaultText: 'no such token',
    example: '*:*.<64 hexadecimal digits>',
    secret: true,
  }),
  VEXIL_ENVIRONMENT_PERMISSIONS: fact(
    z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' }).default(false),
    {
      description:
        'Whether Kubernetes users need the verb `change-flags` on `environments.vexil.dev` to change what is in effect in an environment: on the name of the environment, in the namespace of the object that they write. Set it together with `config/admission/opt-in/environment-permission.yaml`, which enforces the same for kubectl and Git.',
      allowed: '"true" or "false"',
      example: 'true',
    },
  ),
  VEXIL_PROTECTED_MANAGERS: fact(protectedManagers.prefault(defaultManagers), {
    description:
      'Field managers whose fields the admin API does not overwrite unless forced, because they revert changes. `@apply` stands for all managers that use server-side apply, except kubectl; `none` protects no manager. Vexil itself never counts.',
    allowed:
      '"none", or up to 100 names of field managers, separated by commas, each with at most 128 characters, with "*" as wildcard, or "@apply"',
    defaultText: `\`${defaultManagers}\``,
    example: 'argocd-controller,kustomize-controller',
  }),
  VEXIL_TRUST_PROXY: fact(proxies.default(0), {
    description:
      'The number of proxies in front of the admin API, or their addresses: then the address of the caller is taken from `X-Forwarded-For`, or from `Forwarded` without that header. It appears in the history of changes.',
    allowed: 'a number from 0 to 16, or IP addresses and networks, separated by commas',
    example: '10.0.0.0/8',
  }),
  VEXIL_PUBLIC_URL: fact(z.string().refine(isBaseUrl).optional(), {
    description:
      'The URL at which people reach Vexil or another page that shows its flags. The summaries of events link to flags and projects below it.',
    allowed: 'an http or https URL without credentials, query, fragment and trailing slash',
    defaultText: 'none: links are paths',
    example: 'https://flags.example.com',
  }),
  VEXIL_CONSOLE: fact(
    z.stringbool({ truthy: ['on', 'true'], falsy: ['off', 'false'], case: 'sensitive' }).default(true),
    {
      description:
        'The web console at `/`, and the sessions of browsers that it needs. `off`: these paths answer 404, and cookies are ignored.',
      allowed: '"on" or "off"',
      defaultText: '`on`',
      example: 'off',
    },
  ),
  ...oidcSettings,
  VEXIL_CONTEXT_FIELDS: fact(fields.default([]), {
    description:
      'The context fields that `GET /api/admin/context` lists in addition to the built-in ones, as Unleash answers them there. Constraints may name other fields and have other values.',
    allowed:
      'a JSON list of up to 100 objects with `name`, `description`, `stickiness` and `legalValues` (objects with `value` and `description`), of which only `name` is required',
    defaultText: 'none: the built-in fields only',
    example: '[{"name":"region","legalValues":[{"value":"eu"},{"value":"us"}]}]',
  }),
  VEXIL_USER_SEARCH: fact(z.enum(['object', 'list']).default('object'), {
    description:
      'The form in which `GET /api/admin/user-admin/search` answers. `object`: as the API of Unleash is documented, with `users` and `rootRoles`. `list`: the users alone, as Unleash 5 and 6 answer and newer clients, such as the Terraform provider, expect.',
    allowed: '"object" or "list"',
    example: 'list',
  }),
  VEXIL_AUDIT_URL: fact(z.string().refine(isArchiveUrl).default('sqlite:vexil-audit.db'), {
    description:
      'The audit archive: a SQLite file of this replica, or a PostgreSQL database, which several replicas can share. A path without a leading slash is relative to the working directory. In a pod, use a file on a volume: the file system of the container may be read-only and is lost with the pod. While the archive is unavailable, changes still work and their entries are buffered. Set a URL with a password from a Secret.',
    allowed: '"sqlite:PATH", or "postgres://USER:PASSWORD@HOST:PORT/DATABASE"',
    example: 'sqlite:/var/lib/vexil/audit.db',
    secret: true,
  }),
  VEXIL_AUDIT_RETENTION: fact(z.union([z.literal('off'), period]).prefault(defaultRetention), {
    description:
      'How long entries and versions of the history are kept; `off`: forever. They contain names and addresses of callers. The default is one year, which audits require, and one month to compare with.',
    allowed: `"off", or ${ALLOWED_PERIODS}`,
    defaultText: defaultRetention,
    example: '90d',
  }),
  ...auditLogSettings,
  ...historySettings,
  VEXIL_NAME_TENURE: fact(period.prefault(defaultTenure), {
    description:
      'How long the name of a project or a flag stays reserved for its namespace after the last object of that name there was deleted. Until then, objects in other namespaces cannot use the name. Has no effect if only one namespace is watched.',
    allowed: ALLOWED_PERIODS,
    defaultText: defaultTenure,
    example: '30d',
  }),
  VEXIL_CHANGE_REQUEST_RETENTION: fact(z.union([z.literal('off'), period]).prefault(defaultRequestRetention), {
    description:
      'How long ChangeRequests are kept after their end and the last comment on them; `off`: until somebody deletes them. Then the leader removes them with the decisions on them. The history keeps what happened. Requests that a GitOps tool owns are kept.',
    allowed: `"off", or ${ALLOWED_PERIODS}`,
    defaultText: defaultRequestRetention,
    example: '30d',
  }),
  VEXIL_RATE_LIMIT: fact(rateLimit.default('off'), {
    description:
      'The number of requests per minute that the admin API accepts from one token, one Kubernetes user, or, without a valid token, one address. Further requests get 429. Each replica counts separately.',
    allowed: '"off", or a whole number of requests per minute from 1 to 1000000',
    example: '600',
  }),
  VEXIL_SDK_RATE_LIMIT: fact(rateLimit.default('off'), {
    description:
      'The number of requests per minute for flags that the client API, the frontend API and OFREP accept from one token, or, without a valid token, one address. Frontend tokens count for each address on its own. Further requests get 429. Reports of metrics with a client token do not count, wrong tokens always do. Each replica counts separately.',
    allowed: '"off", or a whole number of requests per minute from 1 to 1000000',
    example: '20000',
  }),
  VEXIL_SDK_STREAM_LIMIT: fact(numberOfStreams.prefault(`${defaultStreams}`), {
    description:
      'The number of streams of SDKs that each replica keeps open. Event streams of OFREP take at most half of it. Further ones get 429, and the SDK polls. A thousand streams take about 20 MB of memory.',
    allowed: 'a whole number of streams from 0 (SDKs only poll) to 100000',
    defaultText: `${defaultStreams}`,
    example: '1000',
  }),
  VEXIL_SDK_STREAMS_PER_TOKEN: fact(z.union([z.literal('off'), numberOfStreams]).optional(), {
    description:
      'The number of streams of SDKs that one client token may have open on each replica. Further ones get 429, and the SDK polls. Applications with tokens of their own cannot take the streams of each other.',
    allowed: '"off", or a whole number of streams from 0 to 100000',
    defaultText: 'half of `VEXIL_SDK_STREAM_LIMIT`',
    example: '500',
  }),
  VEXIL_SDK_STREAMS_PER_ADDRESS: fact(z.union([z.literal('off'), numberOfStreams]).optional(), {
    description:
      'The number of event streams of OFREP that one address may have open on each replica. Further ones get 429, and answers to that address name no stream. Networks of IPv6 count as one address. Set `VEXIL_TRUST_PROXY` too: behind a proxy that is not trusted, all readers have the address of the proxy.',
    allowed: '"off", or a whole number of streams from 0 to 100000',
    defaultText: '250 with `VEXIL_TRUST_PROXY`, else `off`',
    example: '50',
  }),
  VEXIL_CHANGE_STREAM_LIMIT: fact(numberOfStreams.prefault(`${defaultChangeStreams}`), {
    description:
      'The number of streams of `GET /api/admin/changes` that each replica keeps open. The console needs one for each browser. Further ones get 429.',
    allowed: 'a whole number of streams from 0 (none) to 100000',
    defaultText: `${defaultChangeStreams}`,
    example: '200',
  }),
  VEXIL_FRONTEND_ORIGINS: fact(origins.default('*'), {
    description:
      'The origins whose pages may call `/api/frontend` and `/ofrep` from a browser (CORS). Programs that are no browsers are not affected.',
    allowed: '"*", "none", or up to 100 origins, separated by commas',
    example: 'https://shop.example.com,https://example.com',
  }),
  VEXIL_BODY_LIMIT: fact(size.prefault(defaultBody), {
    description:
      'The largest request body that the admin API accepts. It may contain one value (text, number, list or object) for every 16 bytes of this limit, and 50,000 in any case.',
    allowed: 'a whole number of bytes, or of B, kB (1000), KiB (1024), MB or MiB, from 1KiB to 100MiB',
    defaultText: defaultBody,
    example: '256KiB',
  }),
  VEXIL_IMPORT_LIMIT: fact(size.prefault(defaultImport), {
    description:
      'The largest state document that `POST /api/admin/state/import` accepts. It may contain one value (text, number, list or object) for every 16 bytes of this limit. An import takes up to sixty times the size of its document in memory: 10,000 flags are about 30 MB with 1.4 million values. Vexil answers 413 if the container has too little memory left to read the document.',
    allowed: 'a whole number of bytes, or of B, kB (1000), KiB (1024), MB or MiB, from 1KiB to 100MiB',
    defaultText: defaultImport,
    example: '50MiB',
  }),
  VEXIL_LEADER_ELECTION: fact(z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' }).default(true), {
    description:
      'Leader election: replicas elect the one that reconciles, with a Lease in the operator namespace. Set `false` only for a single process.',
    allowed: '"true" or "false"',
    example: 'false',
  }),
  ...staleSettings,
  ...usageSettings,
  ...sinkSettings,
  ...timingSettings,
  VEXIL_LOG_LEVEL: fact(z.enum(['error', 'warn', 'info', 'debug']).default('info'), {
    description: 'The log level: `info` logs what an operator wants to know, `debug` logs everything.',
    allowed: '"error", "warn", "info" or "debug"',
    example: 'debug',
  }),
  KUBECONFIG: fact(z.string().optional(), {
    description: 'The kubeconfig files for the connection to the API server.',
    allowed: 'paths of files, in the form that kubectl accepts',
    defaultText: "the kubeconfig of the home folder, else the pod's service account",
    example: '/etc/vexil/kubeconfig',
  }),
});

export type SettingName = keyof typeof settings.shape;

/** The names of all settings. */
export const settingNames = Object.keys(settings.shape) as readonly SettingName[];

/** The documentation of a setting. */
export function factsOf(name: SettingName): SettingFacts {
  return settings.shape[name].meta() as unknown as SettingFacts;
}
