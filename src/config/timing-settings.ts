/** The settings of waits and lifetimes, each with its default and bounds. */
import { z } from 'zod';
import type { ErrorDetail } from '../errors.ts';
import type { Timings } from '../model/settings/timings.ts';
import { fact, type SettingFacts } from './fact.ts';

const units = { ms: 1, s: 1000, m: 60_000 } as const;

/** The value of a duration such as `4500ms`; the pattern has been checked. */
function inMs(text: string): number {
  const unit = /[a-z]+$/.exec(text)?.[0] ?? 'ms';
  return Number.parseInt(text, 10) * units[unit as keyof typeof units];
}

interface Duration extends Pick<SettingFacts, 'description' | 'example'> {
  readonly byDefault: string;
  readonly min: string;
  readonly max: string;
}

function duration({ byDefault, min, max, ...facts }: Duration) {
  const schema = z
    .string()
    .regex(/^\d{1,6}(ms|s|m)$/)
    .transform(inMs)
    .pipe(z.number().min(inMs(min)).max(inMs(max)));
  const allowed = `a whole number of milliseconds, seconds or minutes from ${min} to ${max}`;
  return fact(schema.prefault(byDefault), { ...facts, allowed, defaultText: byDefault });
}

export const timingSettings = {
  VEXIL_LEASE_DURATION: fact(
    z
      .string()
      .regex(/^\d{1,3}s$/)
      .transform(inMs)
      .pipe(z.number().min(1_000).max(300_000))
      .prefault('6s'),
    {
      description:
        'How long the Lease of the leader is valid without a renewal. After a leader fails, another replica takes over no earlier than this. All replicas should have the same value.',
      allowed: 'a whole number of seconds from 1s to 300s, more than VEXIL_LEASE_RENEW_DEADLINE',
      defaultText: '6s',
      example: '15s',
    },
  ),
  VEXIL_LEASE_RENEW_DEADLINE: duration({
    description:
      'How long the leader tries to renew its Lease before it stops leading. It must be less than VEXIL_LEASE_DURATION: the difference is what protects from two leaders when clocks run at different speeds.',
    byDefault: '4500ms',
    ...{ min: '100ms', max: '5m', example: '5s' },
  }),
  VEXIL_LEASE_RETRY_PERIOD: duration({
    description:
      'How often the leader renews its Lease, and other replicas read it. It must be less than VEXIL_LEASE_RENEW_DEADLINE.',
    byDefault: '1s',
    ...{ min: '50ms', max: '1m', example: '2s' },
  }),
  VEXIL_API_SERVER_TIMEOUT: duration({
    description:
      'How long a call to the API server may take, a write of the admin API at most 10 seconds. After that a request that needs it is answered 503.',
    byDefault: '30s',
    ...{ min: '1s', max: '5m', example: '60s' },
  }),
  VEXIL_REVIEW_TIMEOUT: duration({
    description:
      'How long a token review or an access review may take. After that the request that needs it is answered 503.',
    byDefault: '5s',
    ...{ min: '100ms', max: '1m', example: '10s' },
  }),
  VEXIL_ACCESS_CACHE: duration({
    description:
      'How long the answers of the API server to token reviews and access reviews are reused. Revoked tokens and permissions of Kubernetes remain effective for up to this time.',
    byDefault: '5s',
    ...{ min: '100ms', max: '5m', example: '1s' },
  }),
  VEXIL_TOKEN_WAIT: duration({
    description:
      'How long `POST /api/admin/api-tokens` waits until the leader has made the value of the token, and `POST /api/admin/segments` for the id of the segment. After that the new object is deleted and the answer is 503.',
    byDefault: '15s',
    ...{ min: '100ms', max: '5m', example: '30s' },
  }),
  VEXIL_CLONE_WAIT: duration({
    description:
      'How long a request that clones an environment waits until the flags are copied. After that the answer is 503 and the clone goes on.',
    byDefault: '60s',
    ...{ min: '100ms', max: '60m', example: '5m' },
  }),
  VEXIL_MEMBER_WAIT: duration({
    description:
      'How long adding a member to a project waits until the leader has removed the entry of an earlier user of the same name. After that the answer is 503.',
    byDefault: '10s',
    ...{ min: '100ms', max: '5m', example: '20s' },
  }),
  VEXIL_IMPORT_PROGRESS_INTERVAL: duration({
    description:
      'How often an import says how far it is, to callers that ask for JSON lines. An import that is refused before the first line is answered with the status of its error.',
    byDefault: '1s',
    ...{ min: '10ms', max: '30s', example: '5s' },
  }),
  VEXIL_NAME_CLAIM_DELAY: duration({
    description:
      'How long a name must be in use before it is claimed for its namespace. Without effect where one namespace is watched.',
    byDefault: '2s',
    ...{ min: '100ms', max: '5m', example: '5s' },
  }),
  VEXIL_COUNT_DELAY: duration({
    description:
      'How long a status that counts other objects may lag behind a change of them. All changes within this time are one write of the status.',
    byDefault: '1s',
    ...{ min: '10ms', max: '1m', example: '5s' },
  }),
  VEXIL_SDK_STREAM_KEEP_ALIVE: duration({
    description:
      'After how much silence a stream of an SDK gets a comment, so that proxies do not close it. A reader that takes nothing for one and a half times as long is disconnected.',
    byDefault: '20s',
    ...{ min: '100ms', max: '50s', example: '10s' },
  }),
  VEXIL_AUDIT_BATCH_DELAY: duration({
    description:
      'How long the recorder of the history collects changes that it writes in one transaction. A longer time means fewer transactions and later entries.',
    byDefault: '50ms',
    ...{ min: '0ms', max: '10s', example: '200ms' },
  }),
  VEXIL_USAGE_REFRESH: duration({
    description:
      'How often each replica reads from the database what the use of flags says about them: their lifecycle, the evidence that they can go, the condition `Usage`. The times when flags were last seen are newer.',
    byDefault: '5m',
    ...{ min: '100ms', max: '60m', example: '1m' },
  }),
  VEXIL_USAGE_FLUSH_INTERVAL: duration({
    description:
      'How often each replica writes what SDKs have reported to the database. A replica that is killed loses the reports of at most this time. Every sixth time it also reads what other replicas have written.',
    byDefault: '10s',
    ...{ min: '100ms', max: '5m', example: '30s' },
  }),
  VEXIL_SINK_TIMEOUT: duration({
    description:
      'How long the receiver of a notification sink has for a whole answer. After that the entry is sent again.',
    byDefault: '10s',
    ...{ min: '100ms', max: '60s', example: '5s' },
  }),
  VEXIL_SINK_RETRY_MAX: duration({
    description:
      'The longest wait before an entry is sent again to a notification sink that fails, unless the receiver asks for more.',
    byDefault: '60s',
    ...{ min: '10ms', max: '60m', example: '5m' },
  }),
  VEXIL_SINK_STATUS_INTERVAL: duration({
    description:
      'How often the status of a notification sink follows its deliveries. Nothing is written while nothing changes.',
    byDefault: '10s',
    ...{ min: '50ms', max: '60m', example: '60s' },
  }),
  VEXIL_WATCH_RETRY_MAX: duration({
    description:
      'The longest wait between two attempts to connect a watch. After the API server was unreachable, statuses and answers may be outdated for this time.',
    byDefault: '5s',
    ...{ min: '100ms', max: '5m', example: '10s' },
  }),
};

type TimingValues = { readonly [Name in keyof typeof timingSettings]: z.output<(typeof timingSettings)[Name]> };

export function timingsFrom(values: TimingValues): Timings {
  return Object.freeze({
    lease: Object.freeze({
      durationMs: values.VEXIL_LEASE_DURATION,
      renewDeadlineMs: values.VEXIL_LEASE_RENEW_DEADLINE,
      retryPeriodMs: values.VEXIL_LEASE_RETRY_PERIOD,
    }),
    apiServerTimeoutMs: values.VEXIL_API_SERVER_TIMEOUT,
    reviewTimeoutMs: values.VEXIL_REVIEW_TIMEOUT,
    accessCacheMs: values.VEXIL_ACCESS_CACHE,
    tokenWaitMs: values.VEXIL_TOKEN_WAIT,
    cloneWaitMs: values.VEXIL_CLONE_WAIT,
    memberWaitMs: values.VEXIL_MEMBER_WAIT,
    importProgressMs: values.VEXIL_IMPORT_PROGRESS_INTERVAL,
    claimDelayMs: values.VEXIL_NAME_CLAIM_DELAY,
    countDelayMs: values.VEXIL_COUNT_DELAY,
    streamKeepAliveMs: values.VEXIL_SDK_STREAM_KEEP_ALIVE,
    auditBatchDelayMs: values.VEXIL_AUDIT_BATCH_DELAY,
    usageRefreshMs: values.VEXIL_USAGE_REFRESH,
    usageFlushMs: values.VEXIL_USAGE_FLUSH_INTERVAL,
    sinkTimeoutMs: values.VEXIL_SINK_TIMEOUT,
    sinkRetryMaxMs: values.VEXIL_SINK_RETRY_MAX,
    sinkStatusMs: values.VEXIL_SINK_STATUS_INTERVAL,
    watchRetryMaxMs: values.VEXIL_WATCH_RETRY_MAX,
  });
}

/** One finding for each pair of lease timings that would let two replicas lead, or no replica for long. */
export function leaseFindings(values: TimingValues): ErrorDetail[] {
  const ascending = ['VEXIL_LEASE_RETRY_PERIOD', 'VEXIL_LEASE_RENEW_DEADLINE', 'VEXIL_LEASE_DURATION'] as const;
  return ascending.slice(1).flatMap((longer, index) => {
    const shorter = ascending[index];
    if (shorter === undefined || values[shorter] < values[longer]) return [];
    const message = `${longer} is ${values[longer]}ms, and must be more than ${shorter}, which is ${values[shorter]}ms`;
    return [{ path: longer, message }];
  });
}
