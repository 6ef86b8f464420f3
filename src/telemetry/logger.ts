/** The logger: JSON lines without secrets. */
import {
  type DestinationStream,
  destination as fileDescriptor,
  type Logger as PinoLogger,
  pino,
  stdTimeFunctions,
} from 'pino';
import { describeError } from './describe-error.ts';

type Facts = Readonly<Record<string, unknown>>;

/** Facts first, then a constant message: `component: fact`. */
type Log = (facts: Facts, message: string) => void;

/** The logger that other layers use. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
  /** A logger with facts that appear on every line. */
  child(facts: Facts): Logger;
}

export interface LoggerOptions {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  /** Absent: standard output, unbuffered, so that a crash loses no lines. */
  readonly destination?: DestinationStream;
}

const secretKeys = [
  'authorization',
  'Authorization',
  '["proxy-authorization"]',
  'cookie',
  '["set-cookie"]',
  'token',
  'adminToken',
  'accessToken',
  'password',
  'secret',
  'clientSecret',
  'VEXIL_ADMIN_TOKEN',
  'VEXIL_OIDC_CLIENT_SECRET',
];
const levelsAbove = ['', '*', '*.*', '*.*.*'];

const secretPaths = levelsAbove.flatMap((above) =>
  secretKeys.map((key) => (key.startsWith('[') || above === '' ? `${above}${key}` : `${above}.${key}`)),
);

/** Creates the logger of the process; components use a child of it. */
export function createLogger({ level, destination = fileDescriptor({ dest: 1, sync: true }) }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: secretPaths, censor: '[redacted]' },
    // pino's own serializer would treat a described error as an Error.
    serializers: { err: (described: unknown) => described },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const root = pino(options, destination);
  return writingTo(() => root);
}

function writingTo(lines: () => PinoLogger): Logger {
  return {
    debug: (facts, message) => lines().debug(withErrorsDescribed(facts), message),
    info: (facts, message) => lines().info(withErrorsDescribed(facts), message),
    warn: (facts, message) => lines().warn(withErrorsDescribed(facts), message),
    error: (facts, message) => lines().error(withErrorsDescribed(facts), message),
    child: (facts) => writingTo(onFirstUse(() => lines().child(withErrorsDescribed(facts)))),
  };
}

/** Every reconcile gets a child and few of them write a line: a child of pino costs more than judging a flag. */
function onFirstUse(make: () => PinoLogger): () => PinoLogger {
  let made: PinoLogger | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Describes errors under any key: as JSON they would show everything that a library attached to them. */
function withErrorsDescribed(facts: Facts): Facts {
  const entries = Object.entries(facts);
  if (!entries.some(([, fact]) => fact instanceof Error)) return facts;
  return Object.fromEntries(entries.map(([key, fact]) => [key, fact instanceof Error ? describeError(fact) : fact]));
}
