/** Reads the settings of the edge from options and environment variables, or reports all that are wrong. */
import { z } from 'zod';
import { serviceAddress, unknownNames } from '../config/unknown-names.ts';
import { Refusal } from '../errors.ts';
import { detailMessage } from '../model/invalid-input.ts';
import { isNetwork } from '../model/patterns.ts';
import { type EdgeSettingName, edgeSettings, longOptions, optionKey, type Setting } from './setting-table.ts';
import { needlessOptions, optionNamed, refusedOptions } from './unleash-edge-options.ts';

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== ''),
);

const url = z
  .string()
  .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), {
    error: 'a URL begins with http:// or https://',
    abort: true,
  })
  .transform((text) => new URL(text))
  .refine(({ pathname }) => !/\/api\/?$/.test(pathname), 'the URL is the one without /api');

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

const proxies = z
  .string()
  .refine((text) => /^\d{1,2}$/.test(text) || text.split(',').every((one) => isNetwork(one.trim())), {
    error: 'a number up to 99, or addresses and ranges',
    abort: true,
  })
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : text.split(',').map((one) => one.trim())));

const headers = list.pipe(
  z
    .array(z.string().regex(/^[\w-]+[=:].*$/, 'a header is name=value'))
    .transform((all) =>
      Object.fromEntries(all.map((one) => [one.split(/[=:]/)[0], one.replace(/^[\w-]+[=:]\s*/, '')])),
    ),
);

const settingsShape = z.object({
  upstreamUrl: list.default([]).pipe(z.array(url)),
  from: z.string().optional(),
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
  instanceId: z.string().max(100).optional(),
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
  maxConnections: whole(1, 1_000_000).optional(),
  requestsPerMinute: whole(1, 1_000_000).optional(),
  logLevel: z.enum(['error', 'warn', 'info', 'debug']),
});

export interface EdgeSettings extends z.output<typeof settingsShape> {
  /** Options of Unleash Edge that were given and do nothing. */
  readonly withoutEffect: readonly string[];
}

type Options = Readonly<Record<string, unknown>>;

export type Given = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from the options of the command and the environment; options take precedence. Throws `invalid`
 * with one detail for each wrong setting.
 */
export function readEdgeSettings(options: Options, environment: Given): EdgeSettings {
  const given = Object.fromEntries(
    Object.entries(edgeSettings).map(([name, setting]) => [name, settingText(setting, options, environment)]),
  );
  const read = settingsShape.safeParse(given);
  const wrong = [
    ...refusedIn(options, environment),
    ...unknownIn(environment),
    ...(read.success ? wrongTogether(read.data) : wrongIn(read.error)),
  ];
  const withoutEffect = Object.keys(needlessOptions).filter((name) => foreignText(name, options, environment));
  if (read.success && wrong.length === 0) return { ...read.data, withoutEffect };
  const details = wrong.map((message) => ({ message }));
  throw new Refusal('invalid', `the settings of the edge are wrong: ${wrong.join('; ')}`, { details });
}

/** The value that was given, or the default; undefined: neither. */
export function settingText(setting: Setting, options: Options, environment: Given): string | undefined {
  const [option] = longOptions(setting).flatMap((long) => options[optionKey(long)] ?? []);
  if (option !== undefined) return String(option);
  const found = setting.variables
    .map((name) => environment[name])
    .find((value) => value && !serviceAddress.test(value));
  return (setting.isSwitch && found ? switchValue(found) : found) ?? setting.default;
}

function switchValue(text: string): string {
  return ['1', 'true', 'yes', 'on'].includes(text.toLowerCase()) ? 'true' : text.toLowerCase();
}

/** Values with which Unleash Edge does what this program does. */
const HARMLESS: ReadonlySet<string> = new Set(['false', '0', 'authorization']);

function refusedIn(options: Options, environment: Given): readonly string[] {
  const { trustedProxies } = edgeSettings;
  const areProxiesNamed = settingText(trustedProxies, options, environment) !== trustedProxies.default;
  return Object.entries(refusedOptions).flatMap(([name, instead]) => {
    const value = foreignText(name, options, environment);
    if (!value || HARMLESS.has(value.toLowerCase()) || (name === 'TRUST_PROXY' && areProxiesNamed)) return [];
    return [`${name} is not supported: ${instead}`];
  });
}

/** The value of an option of Unleash Edge that is no setting of this program. */
function foreignText(name: string, options: Options, environment: Given): string | undefined {
  const option = options[optionKey(optionNamed(name))];
  return option === undefined ? environment[name] : String(option);
}

/** Kubernetes names variables like settings if there is a Service called `vexil-edge`. */
function unknownIn(environment: Given): readonly string[] {
  const variables = Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  const names = Object.values(edgeSettings).map(({ variables: [own] }) => own);
  return unknownNames(variables, { prefix: 'VEXIL_EDGE_', names }).map(detailMessage);
}

function wrongIn({ issues }: z.ZodError): readonly string[] {
  return issues.map(({ path: [name], message }) => {
    const setting: Setting | undefined = edgeSettings[name as EdgeSettingName];
    return `${setting && longOptions(setting)[0]} (${setting?.variables[0]}): ${message}`;
  });
}

function wrongTogether({
  upstreamUrl,
  from,
  tlsCert,
  tlsKey,
  clientCert,
  clientKey,
  strict,
  tokens,
  tokensFile,
}: z.output<typeof settingsShape>) {
  return [
    ...(upstreamUrl.length > 0 === (from === undefined)
      ? []
      : ['needs --upstream-url, the URL of Vexil, another edge or Unleash, or --from, and not both']),
    ...(from !== undefined && tokens.length === 0 && tokensFile === undefined
      ? ['--from needs --tokens or --tokens-file: the tokens that applications will send']
      : []),
    ...((tlsCert === undefined) === (tlsKey === undefined)
      ? []
      : ['--tls-server-cert and --tls-server-key need each other']),
    ...((clientCert === undefined) === (clientKey === undefined)
      ? []
      : ['--pkcs8-client-certificate-file and --pkcs8-client-key-file need each other']),
    ...(strict && tokens.length === 0 && tokensFile === undefined ? ['--strict needs --tokens or --tokens-file'] : []),
  ];
}
