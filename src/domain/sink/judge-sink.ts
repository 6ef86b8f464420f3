/** The verdict on a sink: whether its receiver gets entries, and how far the delivery is. */
import { timestampOf } from '../../model/clock.ts';
import {
  type NotificationSink,
  type NotificationSinkStatus,
  SINK_LABEL,
  SINK_SECRET_KEY,
} from '../../schema/notification-sink.ts';
import { defectFindings, type Finding, judged } from '../judgement/findings.ts';
import type { Verdict } from '../judgement/verdict.ts';
import { addressInUrl } from './addresses.ts';
import { compileFilter } from './filter.ts';
import { MAX_SINKS, MAX_SINKS_IN_NAMESPACE } from './served-sinks.ts';
import type { SinkProgress } from './sink-progress.ts';
import { type SinkSecret, sinkLabelOf, sinkSecretUses } from './sink-secret.ts';

export interface SinkInContext {
  readonly sink: NotificationSink;
  readonly secret: SinkSecret;
  /** Undefined: the delivery has not begun. */
  readonly progress: SinkProgress | undefined;
  /** The operator namespace. */
  readonly home: string;
  /** Why the operator does not connect to an address; undefined: it does. */
  readonly refusalOf: (address: string, url: string) => string | undefined;
  /** Progress is no event: the status follows it at this pace. */
  readonly statusMs: number;
  /** False: there are too many sinks. */
  readonly isServed: boolean;
}

/** The steps in which the status shows how old the oldest waiting entry is. */
const LAG_STEP_SECONDS = 10;

const tooMany: Finding = {
  severity: 'Error',
  path: [],
  reason: 'TooManySinks',
  message: `at most ${MAX_SINKS} sinks are served, and ${MAX_SINKS_IN_NAMESPACE} in a namespace other than that of the operator: delete others`,
};

type Check = (context: SinkInContext) => readonly Finding[];

const checks: readonly Check[] = [
  ({ sink }) => defectFindings(sink.defects),
  ({ isServed }) => (isServed ? [] : [tooMany]),
  filterIsValid,
  addressIsAllowed,
  addressesAreMasked,
  secretIsUsable,
  receiverTakes,
];

/** `now` in ms since 1970. */
export function judgeSink(context: SinkInContext, now: number): Verdict<NotificationSinkStatus> {
  const { sink, progress, statusMs } = context;
  const findings = checks.flatMap((check) => check(context));
  return {
    status: {
      ...judged({ object: sink, findings, now }),
      ...(progress ? progressIn(progress, now) : lastKnown(sink.status)),
    },
    recheckInMs: statusMs,
  };
}

/** Whether the findings about the spec alone let entries be sent. */
export function isDeliverable(context: Omit<SinkInContext, 'progress'>): boolean {
  const given = { ...context, progress: undefined };
  return checks.every((check) => check(given).length === 0);
}

/** Until the delivery begins anew, after a change of the spec or of the leader. */
function lastKnown(status: NotificationSinkStatus | undefined): Partial<NotificationSinkStatus> {
  const { lastDelivered, lag, setAside, lastSetAside, lastTest, lastReplay } = status ?? {};
  const known = { lastDelivered, lag, setAside, lastSetAside, lastTest, lastReplay };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

function progressIn(progress: SinkProgress, now: number): Partial<NotificationSinkStatus> {
  const { lastDelivered, lag, failingSince, lastError, setAside, lastSetAside, lastTest, lastReplay } = progress;
  const ageMs = lag.oldestAt === undefined ? 0 : Math.max(0, now - lag.oldestAt);
  const seconds = LAG_STEP_SECONDS * Math.floor(ageMs / 1000 / LAG_STEP_SECONDS);
  return {
    ...(lastDelivered && { lastDelivered: { id: lastDelivered.id, at: timestampOf(lastDelivered.at) } }),
    // What is about to be sent is no lag: otherwise each new entry would be a write or two.
    lag: { entries: seconds === 0 ? 0 : lag.entries, seconds },
    ...(failingSince !== undefined && { failingSince: timestampOf(failingSince) }),
    ...(lastError !== undefined && { lastError }),
    ...(setAside > 0 && { setAside }),
    ...(lastSetAside !== undefined && { lastSetAside }),
    ...(lastTest && { lastTest }),
    ...(lastReplay !== undefined && { lastReplay }),
  };
}

function filterIsValid({ sink }: SinkInContext): readonly Finding[] {
  const compiled = compileFilter(sink.spec.filter);
  if (!('problem' in compiled)) return [];
  const message = `the expression ${compiled.problem}`;
  return [{ severity: 'Error', path: ['filter', 'expression'], reason: 'InvalidFilter', message }];
}

function addressIsAllowed({ sink, refusalOf }: SinkInContext): readonly Finding[] {
  const address = addressInUrl(sink.spec.url ?? '');
  const refusal = address === undefined ? undefined : refusalOf(address, sink.spec.url ?? '');
  if (refusal === undefined) return [];
  return [{ severity: 'Error', path: ['url'], reason: 'AddressNotAllowed', message: refusal }];
}

function addressesAreMasked({ sink, home }: SinkInContext): readonly Finding[] {
  if (sink.spec.emailAddresses !== 'Plain' || sink.metadata.namespace === home) return [];
  const message = `e-mail addresses are plain only for sinks in the operator namespace ${home}: use Masked`;
  return [{ severity: 'Error', path: ['emailAddresses'], reason: 'AddressesMustBeMasked', message }];
}

function secretIsUsable({ sink, secret }: SinkInContext): readonly Finding[] {
  const name = sink.spec.secretRef?.name ?? '';
  const finding = (reason: Finding['reason'], message: string): Finding[] => [
    { severity: 'Error', path: ['secretRef'], reason, message },
  ];
  switch (secret.state) {
    case 'missing':
      return finding(
        'SecretNotFound',
        `there is no Secret "${name}" with the label ${SINK_LABEL}: ${sinkLabelOf(sink)} in namespace ${sink.metadata.namespace}: create it, or label it`,
      );
    case 'forbidden':
      return finding(
        'SecretNotFound',
        `the operator may not read the Secret "${name}" in namespace ${sink.metadata.namespace}: apply config/rbac/opt-in/notification-secrets.yaml there, or name the namespace in rbac.sinkSecrets of the chart`,
      );
    case 'unusable':
      return finding(
        'SecretUnusable',
        `the key ${SINK_SECRET_KEY} of the Secret "${name}" must be ${sinkSecretUses[sink.spec.type].must}`,
      );
    default:
      return [];
  }
}

function receiverTakes({ sink, progress }: SinkInContext): readonly Finding[] {
  if (progress?.goneAt === sink.metadata.generation) {
    const message = 'the receiver answered 410 Gone, so nothing is sent any more: change the spec, or delete the sink';
    return [{ severity: 'Error', path: ['url'], reason: 'ReceiverGone', message }];
  }
  if (progress?.failingSince === undefined) return [];
  const message = `the receiver takes nothing since ${timestampOf(progress.failingSince)} (${progress.lastError}): see docs/notifications.md`;
  return [{ severity: 'Error', path: ['url'], reason: 'ReceiverFailing', message }];
}
