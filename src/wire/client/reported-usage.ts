/** The usage in reports of SDKs, read as far as possible and cut to a bounded size. */
import { isRecord, recordsIn } from '../../model/json.ts';
import { cut, ownText } from '../../model/text.ts';

/** Evaluations of one flag, as reported by one application. */
export interface ReportedFlag {
  readonly name: string;
  readonly appName: string;
  readonly yes: number;
  readonly no: number;
  /** Evaluations by variant. */
  readonly variants: ReadonlyMap<string, number>;
  /** Ms since 1970; undefined: not reported. */
  readonly at: number | undefined;
  /** The edge that the application reported to; absent: none. */
  readonly via?: ReportingEdge | undefined;
}

interface ReportingEdge {
  readonly appName: string;
  readonly instanceId: string;
}

export interface ReportingSdk {
  readonly appName: string;
  /** For example `unleash-client-node:6.12.1`; empty if unknown. */
  readonly sdkVersion: string;
  /** The id of the connection, otherwise of the instance; undefined if neither is known. */
  readonly instanceId: string | undefined;
  /** Names of strategies; undefined if not reported. */
  readonly strategies: readonly string[] | undefined;
  /** The edges between the SDK and this server; absent: none. */
  readonly via?: readonly ReportingEdge[];
}

/** What an SDK states about itself in headers. */
export interface SdkHeaders {
  readonly appName: string | undefined;
  readonly sdkVersion: string | undefined;
  readonly connectionId: string | undefined;
  readonly instanceId: string | undefined;
}

type Body = Readonly<Record<string, unknown>>;

const UNNAMED = 'unknown';
const MAX_NAME_LENGTH = 100;
const MAX_STRATEGIES = 100;
const MAX_VIA = 5;
/** The limit for one flag in one report: higher counts are invalid, and sums must stay exact. */
const MAX_COUNT = 1_000_000_000;

/** Characters that a database cannot store or that a terminal would interpret. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

export function sdkOf(body: Body, headers: SdkHeaders | undefined): ReportingSdk {
  const { strategies } = body;
  return {
    appName: appNameOf(body),
    sdkVersion: nameIn(body['sdkVersion']) ?? nameIn(headers?.sdkVersion) ?? '',
    instanceId: nameIn(body['connectionId']) ?? nameIn(headers?.connectionId) ?? nameIn(body['instanceId']),
    strategies: Array.isArray(strategies)
      ? strategies.slice(0, MAX_STRATEGIES).flatMap((name) => nameIn(name) ?? [])
      : undefined,
  };
}

/** OpenFeature providers do not name their application unless they are configured to. */
const PROVIDER = 'ofrep';

export function appNameOfProvider({ appName }: SdkHeaders): string {
  return nameIn(appName) ?? PROVIDER;
}

/** The SDKs behind Unleash Edge in the environment. */
export function sdksOfBulk({ applications }: Body, environment: string): readonly ReportingSdk[] {
  return recordsIn(applications)
    .filter((one) => one['environment'] === environment)
    .map((one) => ({ ...sdkOf(one, undefined), via: viaIn(one['connectVia']) }));
}

/** The nearest edge to the SDK is the first. */
function viaIn(list: unknown): readonly ReportingEdge[] {
  return recordsIn(list)
    .flatMap((one) => edgeIn(one) ?? [])
    .slice(0, MAX_VIA);
}

function edgeIn(named: Body): ReportingEdge | undefined {
  const instanceId = nameIn(named['instanceId']);
  return instanceId === undefined ? undefined : { appName: appNameOf(named), instanceId };
}

export function flagsOf(body: Body): readonly ReportedFlag[] {
  const { bucket } = body;
  if (!isRecord(bucket) || !isRecord(bucket['toggles'])) return [];
  const appName = appNameOf(body);
  const at = timeIn(bucket['stop']);
  return Object.entries(bucket['toggles']).flatMap(([name, counts]) => flagIn(name, counts, { appName, at }));
}

/**
 * The entries of the environment that an edge has collected. It names itself in headers, and in entries the edges from
 * which it has them.
 */
export function flagsOfBulk({ metrics }: Body, environment: string, headers: SdkHeaders): readonly ReportedFlag[] {
  const sender = edgeIn({ ...headers });
  return recordsIn(metrics)
    .filter((entry) => entry['environment'] === environment)
    .flatMap((entry) => {
      const [via = sender] = viaIn(entry['connectVia']);
      return flagIn(entry['featureName'], entry, {
        ...{ appName: appNameOf(entry), at: timeIn(entry['timestamp']) },
        ...(via && { via }),
      });
    });
}

type Reporter = Pick<ReportedFlag, 'appName' | 'at' | 'via'>;

function flagIn(name: unknown, counts: unknown, by: Reporter): readonly ReportedFlag[] {
  const readable = nameIn(name);
  if (readable === undefined || readable !== name || !isRecord(counts)) return [];
  const variants = isRecord(counts['variants']) ? Object.entries(counts['variants']) : [];
  const chosen = variants.flatMap(([variant, count]) => {
    const key = nameIn(variant);
    return key === undefined || countIn(count) === 0 ? [] : [[key, countIn(count)] as const];
  });
  return [{ ...by, name, yes: countIn(counts['yes']), no: countIn(counts['no']), variants: new Map(chosen) }];
}

function appNameOf(body: Body): string {
  return nameIn(body['appName']) ?? UNNAMED;
}

function nameIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = cut(
    value
      .slice(0, 2 * MAX_NAME_LENGTH)
      .replaceAll(CONTROL, ' ')
      .trim(),
    MAX_NAME_LENGTH,
  );
  if (name === '') return undefined;
  return name === value ? value : ownText(name);
}

/** The time from a text with up to nine fraction digits, or from milliseconds. */
function timeIn(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Number.isSafeInteger(time) ? time : undefined;
}

function countIn(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, MAX_COUNT) : 0;
}
