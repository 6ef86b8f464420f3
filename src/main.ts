/** The process: configuration, signals, exit code. */
import './hear-signals.ts';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createApp } from './app.ts';
import { type Config, loadConfig } from './config/load-config.ts';
import { redacted } from './config/redacted.ts';
import { isAppError } from './errors.ts';
import { createLogger } from './telemetry/logger.ts';

const POD_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

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

/** What the person can mend; undefined for our own mistakes. */
function complaints(error: unknown): readonly string[] | undefined {
  if (isAppError(error))
    return error.details.length > 0 ? error.details.map(({ message }) => message) : [error.message];
  const { syscall, code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall !== 'listen') return undefined;
  return [`cannot listen on ${address} port ${port} (${code}): free it, or set VEXIL_HTTP_PORT and VEXIL_OPS_PORT`];
}

function configure(): Config {
  try {
    return loadConfig(process.env, { podNamespace: podNamespace() });
  } catch (error) {
    return refuseToStart(error);
  }
}

async function main(): Promise<void> {
  const config = configure();
  const logger = createLogger({ level: config.logLevel });
  logger.info({ config: redacted(config) }, 'vexil starts');
  const app = createApp(config, logger);
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'vexil stops');
    app.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  const ports = await app.start();
  logger.info({ ...ports }, 'vexil listens');
}

main().catch(refuseToStart);
