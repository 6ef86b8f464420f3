/** One JSON line for each thing worth telling, without secrets. */
import {
  type DestinationStream,
  destination as fileDescriptor,
  type Logger as PinoLogger,
  pino,
  stdTimeFunctions,
} from 'pino';
import { describeError } from './describe-error.ts';

type Facts = Readonly<Record<string, unknown>>;

/** Facts first, then a constant sentence. */
type Log = (facts: Facts, message: string) => void;

/** What the other rooms need of a logger. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
  /** The same logger with facts that go onto every line. */
  child(facts: Facts): Logger;
}

export interface LoggerOptions {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  /** Absent: standard output, without a buffer that a crash would lose. */
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
  'VEXIL_ADMIN_TOKEN',
];
const levelsAbove = ['', '*', '*.*', '*.*.*'];

const secretPaths = levelsAbove.flatMap((above) =>
  secretKeys.map((key) => (key.startsWith('[') || above === '' ? `${above}${key}` : `${above}.${key}`)),
);

/** A logger for the whole process; give each component a child of it. */
export function createLogger({ level, destination = fileDescriptor({ dest: 1, sync: true }) }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: secretPaths, censor: '[redacted]' },
    // pino's own would take a described error for an error.
    serializers: { err: (described: unknown) => described },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return writingTo(pino(options, destination));
}

function writingTo(lines: PinoLogger): Logger {
  return {
    debug: (facts, message) => lines.debug(withErrorsDescribed(facts), message),
    info: (facts, message) => lines.info(withErrorsDescribed(facts), message),
    warn: (facts, message) => lines.warn(withErrorsDescribed(facts), message),
    error: (facts, message) => lines.error(withErrorsDescribed(facts), message),
    child: (facts) => writingTo(lines.child(withErrorsDescribed(facts))),
  };
}

/** Errors under any name: JSON would show whatever a library hung onto them. */
function withErrorsDescribed(facts: Facts): Facts {
  const entries = Object.entries(facts);
  if (!entries.some(([, fact]) => fact instanceof Error)) return facts;
  return Object.fromEntries(entries.map(([key, fact]) => [key, fact instanceof Error ? describeError(fact) : fact]));
}
