/** Parses the environment variables into a Config, or reports all invalid ones. */
import { BlockList, isIP } from 'node:net';
import type { z } from 'zod';
import { type ErrorDetail, Refusal } from '../errors.ts';
import { type ContextField, withBuiltInFields } from '../model/context-field.ts';
import { detailMessage } from '../model/invalid-input.ts';
import type { OidcSettings } from '../model/settings/oidc-settings.ts';
import type { Timings } from '../model/settings/timings.ts';
import { truncate } from '../model/text.ts';
import { type AuditLogSettings, auditLogFindings, auditLogFrom } from './audit-log-settings.ts';
import {
  type HistoryExportSettings,
  type HistorySigningSettings,
  historyExportFrom,
  historySigningFrom,
} from './history-settings.ts';
import { oidcFindings, oidcFrom } from './oidc-settings.ts';
import { factsOf, type SettingName, settingNames, settings } from './settings.ts';
import { leaseFindings, timingsFrom } from './timing-settings.ts';
import { serviceAddress, unknownNames } from './unknown-names.ts';
import type { staleSettings } from './usage-settings.ts';

export interface Config {
  /** The operator namespace. */
  readonly namespace: string;
  /** The namespaces in which Projects and FeatureFlags are watched, operator namespace included; `*`: all. */
  readonly watchNamespaces: '*' | readonly string[];
  readonly http: {
    /** undefined: all addresses. */
    readonly host: string | undefined;
    /** 0: any free port. */
    readonly port: number;
    readonly bodyLimitBytes: number;
    /** The size limit for state documents. */
    readonly importLimitBytes: number;
    /** Requests are not authenticated, so only this machine is served. */
    readonly localOnly: boolean;
    /** Number of proxies in front of the API, or their addresses. */
    readonly trustedProxies: number | readonly string[];
    /** undefined: http. */
    readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
    /** Limit per caller; undefined: unlimited. */
    readonly requestsPerMinute: number | undefined;
    /** Limit per token of SDKs; undefined: unlimited. */
    readonly sdkRequestsPerMinute: number | undefined;
    /** How many streams of SDKs may be open. */
    readonly sdkStreamLimit: number;
    /** How many of the SDK streams one client token may have; Infinity: no limit of its own. */
    readonly sdkStreamsPerToken: number;
    /** How many of the event streams of SDKs one address may have; Infinity: no limit of its own. */
    readonly sdkStreamsPerAddress: number;
    /** How many streams of changed objects may be open. */
    readonly changeStreamLimit: number;
    /** Origins whose pages may call the endpoints that take frontend tokens. */
    readonly frontendOrigins: '*' | readonly string[];
  };
  readonly opsPort: number;
  readonly auth: 'token' | 'none';
  readonly adminToken: string | undefined;
  /** Base of links; undefined: links are paths. */
  readonly publicUrl: string | undefined;
  /** Serve the console and the sessions of browsers. */
  readonly console: boolean;
  /** undefined: users sign in with tokens only. */
  readonly oidc: OidcSettings | undefined;
  /** All context fields, including the built-in ones. */
  readonly contextFields: readonly ContextField[];
  /** The form of the answers of a search for users. */
  readonly userSearch: 'object' | 'list';
  readonly audit: {
    /** `sqlite:PATH` or `postgres://…`, which may contain a password. */
    readonly url: string;
    /** undefined: entries are never pruned. */
    readonly retentionMs: number | undefined;
  };
  /** undefined: the audit log of the API server is no source of the history. */
  readonly auditLog: AuditLogSettings | undefined;
  /** undefined: heads of the chain over the history are not signed. */
  readonly historySigning: HistorySigningSettings | undefined;
  /** undefined: the history is not exported. */
  readonly historyExport: HistoryExportSettings | undefined;
  readonly sinks: {
    /** Networks, or addresses, that sinks may be in although they are not public. */
    readonly allowedNetworks: readonly string[];
  };
  readonly usage: {
    readonly hourlyMs: number;
    readonly dailyMs: number;
    /** How many flags have series of their own in the metrics. */
    readonly flagMetrics: number;
  };
  /** How long a name stays reserved for its namespace after its last object there was deleted. */
  readonly nameTenureMs: number;
  /** How long change requests are kept after their end; undefined: forever. */
  readonly changeRequestRetentionMs: number | undefined;
  /** After how many days the use of a flag is evidence that it can go, by type. */
  readonly staleDays: z.output<typeof staleSettings.VEXIL_STALE_DAYS>;
  /** A change of what is in effect in an environment requires a permission for that environment. */
  readonly environmentPermissions: boolean;
  /**
   * Field managers, with `*` as wildcard, whose fields are taken over only if forced; `@apply`: all that use
   * server-side apply.
   */
  readonly protectedManagers: readonly string[];
  /** Only one of several replicas reconciles. */
  readonly leaderElection: boolean;
  readonly timings: Timings;
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
  /** The path list of KUBECONFIG; undefined: the default locations. */
  readonly kubeconfig: string | undefined;
}

export interface PodContext {
  /** The namespace in the service account files of the pod, if they exist. */
  readonly podNamespace?: string | undefined;
}

type Settings = z.output<typeof settings>;

/** Returns the frozen configuration. Throws `invalid` with one detail for each invalid variable. */
export function loadConfig(
  environment: Readonly<Record<string, string | undefined>>,
  { podNamespace }: PodContext = {},
): Config {
  const variables = Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const given = Object.fromEntries(variables);
  const parsed = settings.safeParse(given);
  const wrong = parsed.success ? wrongTogether(parsed.data) : wrongValues(parsed.error, given);
  const details = [...unknownNames(variables, { prefix: 'VEXIL_', names: settingNames }), ...wrong];
  if (!parsed.success || details.length > 0) throw refusal(details);
  return configFrom(parsed.data, podNamespace);
}

function refusal(details: readonly ErrorDetail[]): Refusal {
  const text = details.map(detailMessage).join('; ');
  return new Refusal('invalid', `the configuration is wrong: ${text}`, { details });
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
      sdkRequestsPerMinute: values.VEXIL_SDK_RATE_LIMIT === 'off' ? undefined : values.VEXIL_SDK_RATE_LIMIT,
      sdkStreamLimit: values.VEXIL_SDK_STREAM_LIMIT,
      sdkStreamsPerToken: streamsPerToken(values),
      sdkStreamsPerAddress: streamsPerAddress(values),
      changeStreamLimit: values.VEXIL_CHANGE_STREAM_LIMIT,
      frontendOrigins: Object.freeze(values.VEXIL_FRONTEND_ORIGINS),
    }),
    opsPort: values.VEXIL_OPS_PORT,
    auth: values.VEXIL_AUTH,
    adminToken: values.VEXIL_ADMIN_TOKEN,
    publicUrl: values.VEXIL_PUBLIC_URL,
    console: values.VEXIL_CONSOLE,
    oidc: oidcFrom(values),
    contextFields: Object.freeze(withBuiltInFields(values.VEXIL_CONTEXT_FIELDS)),
    userSearch: values.VEXIL_USER_SEARCH,
    audit: Object.freeze({
      url: values.VEXIL_AUDIT_URL,
      retentionMs: unlessOff(values.VEXIL_AUDIT_RETENTION),
    }),
    auditLog: auditLogFrom(values),
    historySigning: historySigningFrom(values),
    historyExport: historyExportFrom(values),
    sinks: Object.freeze({ allowedNetworks: Object.freeze(values.VEXIL_SINK_ALLOWED_NETWORKS) }),
    usage: Object.freeze({
      hourlyMs: values.VEXIL_USAGE_HOURLY_RETENTION,
      dailyMs: values.VEXIL_USAGE_DAILY_RETENTION,
      flagMetrics: values.VEXIL_USAGE_FLAG_METRICS,
    }),
    nameTenureMs: values.VEXIL_NAME_TENURE,
    changeRequestRetentionMs: unlessOff(values.VEXIL_CHANGE_REQUEST_RETENTION),
    staleDays: Object.freeze(values.VEXIL_STALE_DAYS),
    environmentPermissions: values.VEXIL_ENVIRONMENT_PERMISSIONS,
    protectedManagers: Object.freeze(values.VEXIL_PROTECTED_MANAGERS),
    leaderElection: values.VEXIL_LEADER_ELECTION,
    timings: timingsFrom(values),
    logLevel: values.VEXIL_LOG_LEVEL,
    kubeconfig: values.KUBECONFIG,
  });
}

function wrongValues(error: z.ZodError, given: Readonly<Record<string, string>>): ErrorDetail[] {
  const names = new Set(error.issues.map((issue) => issue.path[0] as SettingName));
  return [...names].map((name) => ({ path: name, message: wrongValue(name, given[name] ?? '') }));
}

const MAX_VALUE_LENGTH = 100;

function wrongValue(name: SettingName, value: string): string {
  const { allowed, secret } = factsOf(name);
  if (secret) return `${name} has a value that cannot be used (it is not shown here); allowed: ${allowed}`;
  const why = serviceAddress.test(value)
    ? '. Kubernetes set it for a Service of that name: set "enableServiceLinks: false" in the pod, or set the variable there'
    : '';
  return `${name} is ${JSON.stringify(truncate(value, MAX_VALUE_LENGTH))}; allowed: ${allowed}${why}`;
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
  const others = [values.VEXIL_HTTP_PORT, values.VEXIL_OPS_PORT];
  const logPort = values.VEXIL_AUDIT_LOG_PORT;
  if (logPort !== undefined && logPort !== 0 && others.includes(logPort)) {
    const message = `VEXIL_AUDIT_LOG_PORT is "${logPort}", as another port; give each its own`;
    details.push({ path: 'VEXIL_AUDIT_LOG_PORT', message });
  }
  return [
    ...details,
    ...halfOfTls(values),
    ...leaseFindings(values),
    ...oidcFindings(values),
    ...auditLogFindings(values),
  ];
}

/** Rejects a certificate without its key and vice versa: the API must not serve http instead of https by accident. */
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

function unlessOff(value: number | 'off'): number | undefined {
  return value === 'off' ? undefined : value;
}

function mustStayLocal(values: Settings): boolean {
  return values.VEXIL_AUTH === 'none' && !values.VEXIL_ALLOW_ANONYMOUS;
}

const STREAMS_PER_ADDRESS = 250;

/** The limit per token, so that one token cannot take the streams of all others. */
function streamsPerToken({ VEXIL_SDK_STREAMS_PER_TOKEN: limit, VEXIL_SDK_STREAM_LIMIT: ofAll }: Settings): number {
  if (limit === 'off') return Number.POSITIVE_INFINITY;
  return limit ?? Math.ceil(ofAll / 2);
}

/** The limit per address. Behind a proxy that is not trusted, all readers have one address. */
function streamsPerAddress({ VEXIL_SDK_STREAMS_PER_ADDRESS: limit, VEXIL_TRUST_PROXY: proxies }: Settings): number {
  if (limit === 'off') return Number.POSITIVE_INFINITY;
  return limit ?? (proxies === 0 ? Number.POSITIVE_INFINITY : STREAMS_PER_ADDRESS);
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
