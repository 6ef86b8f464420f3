/** Runs an edge until its process is asked to stop. */
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { createEdge } from './edge.ts';
import type { EdgeSettings } from './settings.ts';

interface EdgeProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  on(signal: 'SIGTERM' | 'SIGINT', listener: (signal: string) => void): unknown;
  exit(status: number): never;
}

interface Running {
  readonly version: string;
  readonly revision: string;
  readonly host: EdgeProcess;
}

/** Resolves when the edge listens. */
export async function runEdge(settings: EdgeSettings, { version, revision, host }: Running): Promise<void> {
  const logger = createLogger({ level: settings.logLevel });
  logger.info({ version, revision, ...shownSettings(settings) }, 'edge: starting');
  const onFault = crash(logger);
  const edge = await createEdge(settings, { version, logger, environment: host.env, onFault });
  let isStopping = false;
  const stop = (signal: string): void => {
    if (isStopping) host.exit(1);
    isStopping = true;
    logger.info({ signal }, 'edge: stopping');
    edge.stop().then(
      () => host.exit(0),
      (error: unknown) => {
        logger.error({ error }, 'edge: cannot stop cleanly');
        host.exit(1);
      },
    );
  };
  host.on('SIGTERM', stop);
  host.on('SIGINT', stop);
  logger.info({ port: await edge.start() }, 'edge: listening');
}

/** The settings without values that may be secret. */
function shownSettings({ upstreamUrl, tokens, headers: _, ...settings }: EdgeSettings) {
  return {
    ...settings,
    upstreams: upstreamUrl.map(({ origin, pathname }) => origin + pathname),
    givenTokens: tokens.length,
  };
}

/** Failures of the upstream are handled: this error is a bug, and must end the process. */
function crash(logger: Logger) {
  return (error: unknown): void => {
    logger.error({ error }, 'edge: background task failed, exiting');
    queueMicrotask(() => {
      throw error;
    });
  };
}
