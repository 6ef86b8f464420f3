/** The process: arguments, configuration, signals, exit code. */
import './catch-signals.ts';
import './app/no-fast-api-calls.ts';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';
import { systemMachine } from './app/machine.ts';
import { PROGRAM } from './app/program.ts';
import { createApp } from './app.ts';
import { type Config, loadConfig } from './config/load-config.ts';
import { redacted } from './config/redacted.ts';
import { isKnownError } from './errors.ts';
import { detailMessage } from './model/invalid-input.ts';
import { createLogger, type Logger } from './telemetry/logger.ts';
import { isTracingWanted, type Tracing, untraced } from './telemetry/tracing.ts';

const POD_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

const USAGE = `Usage: ${PROGRAM.name} [--version | --help]
It starts without arguments. Settings are environment variables, see docs/settings.md.
`;

/** Returns only if there are no arguments. */
function handleArguments(given: readonly string[]): void {
  const [first, second] = given;
  if (first === undefined) return;
  const answers: Readonly<Record<string, string>> = {
    '--version': `${PROGRAM.name} ${PROGRAM.version} (revision ${PROGRAM.revision})\n`,
    '--help': USAGE,
  };
  const answer = second === undefined && Object.hasOwn(answers, first) ? answers[first] : undefined;
  if (answer !== undefined) {
    process.stdout.write(answer);
    process.exit(0);
  }
  process.stderr.write(`${PROGRAM.name}: cannot use the arguments ${given.join(' ')}\n${USAGE}`);
  process.exit(2);
}

function podNamespace(): string | undefined {
  try {
    return readFileSync(POD_NAMESPACE_FILE, 'utf8');
  } catch {
    return undefined;
  }
}

/** Ends the process with a message for the person who started it. */
function refuseToStart(error: unknown): never {
  const lines = complaints(error);
  if (!lines) throw error;
  process.stderr.write(`vexil cannot start:\n${lines.map((line) => `  ${line}\n`).join('')}`);
  process.exit(2);
}

/** The errors that the person who starts the operator can fix. Undefined if the error is a bug. */
function complaints(error: unknown): readonly string[] | undefined {
  if (isKnownError(error)) return error.details.length > 0 ? error.details.map(detailMessage) : [error.message];
  const { syscall, code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall !== 'listen') return undefined;
  return [`cannot listen on ${address} port ${port} (${code}): free it, or set VEXIL_HTTP_PORT and VEXIL_OPS_PORT`];
}

/** The memory of the process in bytes; on Linux without mapped files. */
function usedMemory(): number {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux.
  }
  return process.memoryUsage.rss();
}

function configure(): Config {
  try {
    return loadConfig(process.env, { podNamespace: podNamespace() });
  } catch (error) {
    return refuseToStart(error);
  }
}

/** Loads OpenTelemetry only if it is wanted: its modules take memory. */
async function traced(logger: Logger): Promise<Tracing> {
  const { env } = process;
  if (!isTracingWanted(env)) return untraced;
  const { startOpenTelemetry } = await import('./telemetry/open-telemetry/start.ts');
  const { name, version } = PROGRAM;
  return startOpenTelemetry({ env, logger, service: { name, version, instance: hostname() } }) ?? untraced;
}

async function main(): Promise<void> {
  handleArguments(process.argv.slice(2));
  const config = configure();
  const logger = createLogger({ level: config.logLevel });
  const { version, revision } = PROGRAM;
  logger.info({ version, revision, config: redacted(config) }, 'vexil: starting');
  const memory = () => ({ limit: process.constrainedMemory(), used: usedMemory() });
  const tracing = await traced(logger);
  const app = createApp(config, logger, { nodeVersion: process.version, memory, machine: systemMachine, tracing });
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'vexil: stopping');
    app.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ error }, 'vexil: cannot stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  const ports = await app.start();
  logger.info({ ...ports }, 'vexil: listening');
}

main().catch(refuseToStart);
