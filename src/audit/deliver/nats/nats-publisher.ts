/** Publishes events to a stream of NATS JetStream. A program of its own, which is loaded only with such a sink. */
import { JetStreamApiError, jetstream, jserrors } from '@nats-io/jetstream/internal';
import {
  type Authenticator,
  credsAuthenticator,
  errors,
  type NatsConnection,
  NatsConnectionImpl,
  headers as natsHeaders,
  nkeyAuthenticator,
  setTransportFactory,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/nats-core/internal';
import type { buildConnector } from 'undici';
import type { NatsCredentials } from '../../../domain/sink/nats-credentials.ts';
import { natsSubject } from '../../../domain/sink/nats-subject.ts';
import type { PostEvent, SentEvent } from '../event-sender.ts';
import type { Answer } from '../receiver.ts';
import { type Guard, type GuardedOptions, MAX_SENT_BYTES, NatsTransport } from './nats-transport.ts';

export interface NatsPublisherParts {
  /** Entries are published to subjects below. */
  readonly subject: string;
  /** Makes the ids of messages different from those of other sinks, which may fill the same stream. */
  readonly idPrefix: string;
  /** For everything from the name to the answer. */
  readonly timeoutMs: number;
  /** `HOST:PORT` */
  readonly server: string;
  /** Whether there must be TLS. */
  readonly isEncrypted: boolean;
  readonly credentials: NatsCredentials | undefined;
  /** Judges addresses. */
  readonly connect: buildConnector.connector;
  /** Says why a connection failed. */
  readonly connectionFailure: (error: unknown) => string;
}

export interface NatsPublisher {
  /** Answers once the stream has the message. */
  readonly publish: PostEvent;
  close(): Promise<void>;
}

/** The error of JetStream for a message that is larger than the stream allows. */
const MESSAGE_TOO_LARGE = 10054;

interface GuardedConnection {
  readonly guard: Guard;
  readonly opened: Promise<NatsConnection>;
}

setTransportFactory({ factory: () => new NatsTransport() });

export function createNatsPublisher(parts: NatsPublisherParts): NatsPublisher {
  let current: GuardedConnection | undefined;

  function connection(): GuardedConnection {
    if (current) return current;
    const made = connect(parts);
    current = made;
    const forget = () => {
      if (current === made) current = undefined;
      made.guard.socket?.destroy();
    };
    made.opened.then((opened) => opened.closed()).then(forget, forget);
    return made;
  }

  function drop(dropped: GuardedConnection): void {
    if (current === dropped) current = undefined;
    dropped.opened.then((opened) => opened.close()).catch(() => undefined);
    dropped.guard.socket?.destroy();
  }

  return {
    async publish(event, signal) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(parts.timeoutMs)]);
      const used = connection();
      try {
        await unlessAborted(send(used, event, parts), limited);
        return { type: 'taken' };
      } catch (error) {
        if (isTimeout(error)) drop(used);
        return answerOf(error, event, parts);
      }
    },
    async close() {
      if (current) drop(current);
    },
  };
}

function connect(parts: NatsPublisherParts): GuardedConnection {
  const { server, isEncrypted, credentials, timeoutMs } = parts;
  const guard: Guard = { connect: parts.connect, socket: undefined, left: MAX_SENT_BYTES };
  const options: GuardedOptions = {
    ...{ guard, servers: server, name: 'vexil' },
    // Only the URL of the sink is connected to, and the sink tries again.
    ...{ ignoreClusterUpdates: true, resolve: false, reconnect: false, timeout: timeoutMs },
    ...(isEncrypted && { tls: {} }),
    authenticator: authenticatorOf(credentials),
  };
  return { guard, opened: NatsConnectionImpl.connect(options) };
}

function authenticatorOf(given: NatsCredentials | undefined): Authenticator[] {
  const bytes = (value: string) => new TextEncoder().encode(value);
  switch (given?.type) {
    case 'user':
      return [usernamePasswordAuthenticator(given.user, given.password)];
    case 'token':
      return [tokenAuthenticator(given.token)];
    case 'nkey':
      return [nkeyAuthenticator(bytes(given.seed))];
    case 'creds':
      return [credsAuthenticator(bytes(given.text))];
    default:
      return [];
  }
}

async function send({ guard, opened }: GuardedConnection, event: SentEvent, parts: NatsPublisherParts): Promise<void> {
  const { id, message } = event;
  const { subject, idPrefix, timeoutMs } = parts;
  const client = jetstream(await opened);
  guard.left = MAX_SENT_BYTES;
  const headers = natsHeaders();
  for (const [name, value] of Object.entries(message.headers)) headers.set(name, value);
  // Within its window, a stream drops what it has got already.
  const options = { msgID: `${idPrefix}/${id}`, headers, timeout: timeoutMs };
  await client.publish(natsSubject(subject, event), message.body, options);
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  await Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** Without texts of the server. */
function answerOf(error: unknown, event: SentEvent, { subject, connectionFailure }: NatsPublisherParts): Answer {
  const cause = error instanceof errors.RequestError ? error.cause : error;
  if (isTooLarge(cause)) return { type: 'refused', message: 'the message is larger than the server or stream allows' };
  const message = wordsOf(cause, natsSubject(subject, event)) ?? connectionFailure(cause);
  return { type: 'failed', message };
}

function isTooLarge(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.code === MESSAGE_TOO_LARGE;
  return error instanceof errors.InvalidArgumentError;
}

function wordsOf(error: unknown, subject: string): string | undefined {
  if (error instanceof jserrors.JetStreamNotEnabled) return `no stream of JetStream takes the subject ${subject}`;
  if (error instanceof JetStreamApiError) return `JetStream answered the error ${error.code}`;
  if (error instanceof errors.AuthorizationError) return 'the server does not accept the user';
  if (!(error instanceof errors.PermissionViolationError)) return undefined;
  return error.operation === 'publish'
    ? `the user may not publish to ${subject}`
    : 'the user may not subscribe to _INBOX.>, where JetStream answers';
}
