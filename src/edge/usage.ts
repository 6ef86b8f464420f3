/**
 * What SDKs report to the edge: summed by application, flag and hour, and sent to the upstream once a minute. A report
 * whose answer got lost is not sent again, so that nothing counts twice.
 */
import type { Scope } from '../delivery/flag-origin.ts';
import { type Clock, pause } from '../model/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createApplications, type ReportedSdk } from '../usage/applications.ts';
import { type Counter, countedAt, countedEvaluations, createCounters, OTHER } from '../usage/counters.ts';
import type { Reports } from '../usage/reports.ts';
import { failureOf, type UpstreamError } from './upstream/errors.ts';

export interface EdgeUsageParts {
  /** What this edge says about itself. */
  readonly identity: { readonly appName: string; readonly instanceId: string };
  /** A client token that may see the scope. */
  readonly tokenFor: (scope: Scope) => string | undefined;
  /** Throws UpstreamError. */
  readonly send: (token: string, body: string) => Promise<void>;
  readonly clock: Clock;
  /** In ms since 1970. */
  readonly now: () => number;
  readonly flushMs: number;
  /** Called with the number of evaluations that are lost. */
  readonly onDropped: (evaluations: number) => void;
  readonly logger: Logger;
}

export interface EdgeUsage {
  readonly reports: Reports;
  /** Sends what was reported. What the upstream did not get is kept. */
  flush(): Promise<void>;
  /** Flushes again and again; resolves when the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const MAX_COUNTERS = 100_000;
/** Unleash takes requests of up to 100 kB. */
const MAX_BODY_BYTES = 90_000;
/** The strategies of an application, where its SDK does not say which it knows. */
const UNKNOWN: readonly string[] = [];

export function createEdgeUsage(parts: EdgeUsageParts): EdgeUsage {
  const { tokenFor, send, clock, now, flushMs, onDropped, logger } = parts;
  const counters = createCounters({ maxKeys: MAX_COUNTERS, maxKeysPerHour: MAX_COUNTERS, onDropped });
  const applications = createApplications();
  let isAway = false;

  const keep = (some: readonly Counter[]): void => {
    for (const { flagUid, environment, appName, at, lastAt, yes, no, variants, via } of some) {
      counters.add({ flagUid, environment, appName, at, arrivedAt: lastAt, yes, no, variants, via });
    }
  };
  const note = (error: UpstreamError | undefined): void => {
    const reason = error?.message;
    if (error && isLost(error)) logger.warn({ reason }, 'usage: report is lost');
    else if (error && !isAway) logger.warn({ reason }, 'usage: cannot be sent, it is kept');
    isAway = error !== undefined;
  };
  /** Returns the batches that the upstream does not have. */
  const sendAll = async (batches: readonly UsageBatch[], token: string): Promise<readonly UsageBatch[]> => {
    for (const [index, { body, counters: sent }] of batches.entries()) {
      const error = await failureOf(send(token, body));
      note(error);
      if (!error) continue;
      if (!isLost(error)) return batches.slice(index);
      onDropped(countedEvaluations(sent));
      return batches.slice(index + 1);
    }
    return [];
  };
  /** Returns whether the upstream has failed. */
  const flushScope = async (taken: Taken): Promise<boolean> => {
    const token = tokenFor(taken.scope);
    const batches = batchesOf(taken, parts.identity);
    const left = token === undefined ? batches : await sendAll(batches, token);
    keep(left.flatMap((one) => one.counters));
    return token !== undefined && isAway;
  };
  const flush = async (): Promise<void> => {
    let hasFailed = false;
    for (const taken of takenBy(counters.take(), applications.take().sdks)) {
      // Other scopes would wait for the same upstream.
      if (hasFailed) keep(taken.counters);
      else hasFailed = await flushScope(taken);
    }
  };

  return {
    reports: {
      sdk: (scope, sdk) => applications.addSdk({ ...sdk, environment: keyOf(scope) }, now()),
      evaluations(scope, evaluations) {
        const arrivedAt = now();
        for (const { name, appName, yes, no, variants, at, via } of evaluations) {
          const counted = { flagUid: name, environment: keyOf(scope), appName: applications.nameFor(appName) };
          const time = { at: countedAt(at, arrivedAt), arrivedAt };
          if (yes + no > 0) counters.add({ ...counted, ...time, yes, no, variants, via });
        }
      },
    },
    flush,
    async run(signal) {
      while (!signal.aborted) {
        await pause(clock, flushMs, signal);
        // A flush is finished when the edge stops: what it has taken is nowhere else.
        if (!signal.aborted) await flush();
      }
    },
  };
}

/** Counters are kept by scope, because the token of a report decides which flags it may count. */
function keyOf({ environment, projects }: Scope): string {
  return JSON.stringify([environment, projects ?? null]);
}

function scopeOf(key: string): Scope {
  const [environment, projects] = JSON.parse(key) as [string, readonly string[] | null];
  return { environment, projects: projects ?? undefined };
}

interface Taken {
  readonly scope: Scope;
  readonly counters: readonly Counter[];
  readonly sdks: readonly ReportedSdk[];
}

function takenBy(counters: readonly Counter[], sdks: readonly ReportedSdk[]): readonly Taken[] {
  const counted = Map.groupBy(counters, ({ environment }) => environment);
  const seen = Map.groupBy(sdks, ({ environment }) => environment);
  return [...new Set([...counted.keys(), ...seen.keys()])].map((key) => {
    const [ofScope, given] = [counted.get(key) ?? [], seen.get(key) ?? []];
    return { scope: scopeOf(key), counters: ofScope, sdks: [...given, ...unnamedIn(ofScope, given)] };
  });
}

/** Applications that say nothing about themselves, such as providers of OpenFeature: the edge is named for them too. */
function unnamedIn(counters: readonly Counter[], sdks: readonly ReportedSdk[]): readonly ReportedSdk[] {
  const named = new Set([OTHER, ...sdks.map(({ appName }) => appName)]);
  const unnamed = new Map(counters.map(({ appName, environment }) => [appName, environment]));
  return [...unnamed].flatMap(([appName, environment]) =>
    named.has(appName) ? [] : [{ appName, environment, sdkVersion: '', instanceId: undefined, strategies: undefined }],
  );
}

interface UsageBatch {
  readonly body: string;
  readonly counters: readonly Counter[];
}

/** The body of each request, in the form of Unleash Edge. */
function batchesOf({ scope, counters, sdks }: Taken, identity: EdgeUsageParts['identity']): readonly UsageBatch[] {
  const batches: UsageBatch[] = [];
  let open = { applications: [] as string[], metrics: [] as string[], counters: [] as Counter[], bytes: 0 };
  const close = (): void => {
    if (open.bytes === 0) return;
    const body = `{"applications":[${open.applications.join(',')}],"metrics":[${open.metrics.join(',')}]}`;
    batches.push({ body, counters: open.counters });
    open = { applications: [], metrics: [], counters: [], bytes: 0 };
  };
  const add = (to: 'applications' | 'metrics', text: string): void => {
    const bytes = Buffer.byteLength(text) + 1;
    if (open.bytes + bytes > MAX_BODY_BYTES) close();
    open[to].push(text);
    open.bytes += bytes;
  };
  for (const sdk of sdks) add('applications', JSON.stringify(presentSdk(sdk, scope, identity)));
  for (const counter of counters) {
    add('metrics', JSON.stringify(presentCounter(counter, scope)));
    open.counters.push(counter);
  }
  close();
  return batches;
}

function presentSdk(sdk: ReportedSdk, { environment, projects }: Scope, identity: EdgeUsageParts['identity']) {
  const { appName, sdkVersion, instanceId, strategies = UNKNOWN, via = [] } = sdk;
  return {
    ...{ appName, environment, strategies },
    projects: projects ?? ['*'],
    // Unleash refuses a whole report for an instance that is absent, or a version that is empty.
    ...(sdkVersion !== '' && { sdkVersion }),
    instanceId: instanceId ?? '',
    ...(instanceId !== undefined && { connectionId: instanceId }),
    interval: 60_000,
    started: new Date(0).toISOString(),
    connectVia: [...via, identity],
  };
}

/** The headers of the request name this edge: only another edge, from which it has the counts, is named here. */
function presentCounter({ flagUid: featureName, appName, at, via, ...counts }: Counter, { environment }: Scope) {
  const { yes, no, variants } = counts;
  return {
    ...{ featureName, appName, environment, timestamp: new Date(at).toISOString() },
    ...{ yes, no, variants: Object.fromEntries(variants) },
    ...(via && { connectVia: [via] }),
  };
}

/** The upstream may have counted the report, or will never take it. */
function isLost({ problem, cause }: UpstreamError): boolean {
  const { code = '' } = (cause ?? {}) as NodeJS.ErrnoException;
  return problem === 'unusable' || (problem === 'away' && cause !== undefined && !NOT_CONNECTED.has(code));
}

const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
