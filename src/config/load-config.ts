/** Makes a Config of the environment, or says everything that is wrong with it. */
import { BlockList, isIP } from 'node:net';
import type { z } from 'zod';
import { AppError, type ErrorDetail } from '../errors.ts';
import { factsOf, type SettingName, settings } from './settings.ts';
import { serviceAddress, unknownNames } from './unknown-names.ts';

export interface Config {
  /** The home namespace. */
  readonly namespace: string;
  /** Where Projects and FeatureFlags are watched, home included; `*`: everywhere. */
  readonly watchNamespaces: '*' | readonly string[];
  readonly http: {
    /** undefined: all addresses. */
    readonly host: string | undefined;
    /** 0: any free port. */
    readonly port: number;
    readonly bodyLimitBytes: number;
    /** The same of state documents. */
    readonly importLimitBytes: number;
    /** Nobody is asked who they are, so only this machine is served. */
    readonly localOnly: boolean;
    /** How many proxies stand before us, or where they are. */
    readonly trustedProxies: number | readonly string[];
    /** undefined: http. */
    readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
    /** Of one caller; undefined: as many as they like. */
    readonly requestsPerMinute: number | undefined;
  };
  readonly opsPort: number;
  readonly auth: 'token' | 'none';
  readonly adminToken: string | undefined;
  /** For links; undefined: they are paths. */
  readonly publicUrl: string | undefined;
  readonly audit: {
    /** `sqlite:PATH` or `postgres://…`, which may hold a password. */
    readonly url: string;
    /** undefined: entries are kept for ever. */
    readonly retentionMs: number | undefined;
  };
  /** How long a name stays with a namespace in which nothing has it any more. */
  readonly nameTenureMs: number;
  /** Changing what a flag says of an environment needs a permission for that environment. */
  readonly environmentPermissions: boolean;
  /** Names of field managers, with `*` for any text, whose fields are not taken unasked; `@apply`: all that apply on the server's side. */
  readonly protectedManagers: readonly string[];
  /** Only one of several replicas reconciles. */
  readonly leaderElection: boolean;
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
  /** The path list of KUBECONFIG, as it is; undefined: whatever this place offers. */
  readonly kubeconfig: string | undefined;
}

export interface Surroundings {
  /** What the service account file of the pod names, if there is one. */
  readonly podNamespace?: string | undefined;
}

type Settings = z.output<typeof settings>;

/** The configuration that the environment describes, frozen. Throws `invalid` with one detail for each variable. */
export function loadConfig(
  environment: Readonly<Record<string, string | undefined>>,
  { podNamespace }: Surroundings = {},
): Config {
  const variables = Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const given = Object.fromEntries(variables);
  const parsed = settings.safeParse(given);
  const wrong = parsed.success ? wrongTogether(parsed.data) : wrongValues(parsed.error, given);
  const details = [...unknownNames(variables), ...wrong];
  if (!parsed.success || details.length > 0) throw refusal(details);
  return configFrom(parsed.data, podNamespace);
}

function refusal(details: readonly ErrorDetail[]): AppError {
  const text = details.map(({ message }) => message).join('; ');
  return new AppError('invalid', `the configuration is wrong: ${text}`, { details });
}

function configFrom(values: Settings, podNamespace: string | undefined): Config {
  const namespace = values.VEXIL_NAMESPACE ?? (podNamespace?.trim() || 'vexil-system');
  return Object.freeze({
    namespace,
    watchNamespaces: watchedFrom(namespace, values.VEXIL_WATCH_NAMESPACES),
    http: Object.freeze({
      host: values.VEXIL_HTTP_HOST ?? (mustStayLocal(values) ? '127.0.0.1' : undefined),
      port: values.VEXIL_HTTP_PORT,
      bodyLimitBytes: values.VEXIL_BODY_LIMIT,
      importLimitBytes: values.VEXIL_IMPORT_LIMIT,
      localOnly: mustStayLocal(values),
      trustedProxies: values.VEXIL_TRUST_PROXY,
      tls: tlsFrom(values),
      requestsPerMinute: values.VEXIL_RATE_LIMIT === 'off' ? undefined : values.VEXIL_RATE_LIMIT,
    }),
    opsPort: values.VEXIL_OPS_PORT,
    auth: values.VEXIL_AUTH,
    adminToken: values.VEXIL_ADMIN_TOKEN,
    publicUrl: values.VEXIL_PUBLIC_URL,
    audit: Object.freeze({
      url: values.VEXIL_AUDIT_URL,
      retentionMs: values.VEXIL_AUDIT_RETENTION === 'off' ? undefined : values.VEXIL_AUDIT_RETENTION,
    }),
    nameTenureMs: values.VEXIL_NAME_TENURE,
    environmentPermissions: values.VEXIL_ENVIRONMENT_PERMISSIONS,
    protectedManagers: Object.freeze(values.VEXIL_PROTECTED_MANAGERS),
    leaderElection: values.VEXIL_LEADER_ELECTION,
    logLevel: values.VEXIL_LOG_LEVEL,
    kubeconfig: values.KUBECONFIG,
  });
}

function wrongValues(error: z.ZodError, given: Readonly<Record<string, string>>): ErrorDetail[] {
  const names = new Set(error.issues.map((issue) => issue.path[0] as SettingName));
  return [...names].map((name) => ({ path: name, message: wrongValue(name, given[name] ?? '') }));
}

function wrongValue(name: SettingName, value: string): string {
  const { allowed, secret } = factsOf(name);
  if (secret) return `${name} has a value that cannot be used (it is not shown here); allowed: ${allowed}`;
  const why = serviceAddress.test(value)
    ? '. Kubernetes set it for a Service of that name: set "enableServiceLinks: false" in the pod, or set the variable there'
    : '';
  return `${name} is ${JSON.stringify(shortened(value))}; allowed: ${allowed}${why}`;
}

function shortened(value: string): string {
  return value.length > 100 ? `${value.slice(0, 100)}…` : value;
}

function wrongTogether(values: Settings): ErrorDetail[] {
  const { VEXIL_HTTP_HOST: host, VEXIL_HTTP_PORT: port } = values;
  const details: ErrorDetail[] = [];
  if (host !== undefined && mustStayLocal(values) && !isLoopback(host)) {
    const message = `VEXIL_HTTP_HOST is "${host}" while VEXIL_AUTH is "none", so everyone who reaches it could change every flag; use a loopback address, VEXIL_AUTH=token, or accept it with VEXIL_ALLOW_ANONYMOUS=true`;
    details.push({ path: 'VEXIL_HTTP_HOST', message });
  }
  if (port !== 0 && port === values.VEXIL_OPS_PORT) {
    const message = `VEXIL_OPS_PORT is "${port}", as VEXIL_HTTP_PORT; give each its own`;
    details.push({ path: 'VEXIL_OPS_PORT', message });
  }
  return [...details, ...halfOfTls(values)];
}

/** A certificate is of no use without its key, and http in the place of https must not come by accident. */
function halfOfTls(values: Settings): ErrorDetail[] {
  const names = ['VEXIL_TLS_CERT_FILE', 'VEXIL_TLS_KEY_FILE'] as const;
  const [given, ...others] = names.filter((name) => values[name] !== undefined);
  if (given === undefined || others.length > 0) return [];
  const missing = names.find((name) => name !== given) ?? given;
  const message = `${missing} is missing, as ${given} is ${JSON.stringify(values[given])}; set both for https, or none for http`;
  return [{ path: missing, message }];
}

function tlsFrom({ VEXIL_TLS_CERT_FILE: certFile, VEXIL_TLS_KEY_FILE: keyFile }: Settings): Config['http']['tls'] {
  return certFile === undefined || keyFile === undefined ? undefined : Object.freeze({ certFile, keyFile });
}

function mustStayLocal(values: Settings): boolean {
  return values.VEXIL_AUTH === 'none' && !values.VEXIL_ALLOW_ANONYMOUS;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? host === 'localhost' : loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}

function watchedFrom(home: string, watched: Settings['VEXIL_WATCH_NAMESPACES']): Config['watchNamespaces'] {
  return watched === '*' ? '*' : Object.freeze([...new Set([home, ...(watched ?? [])])]);
}
