/** Runs an edge until its process is asked to stop. */
import { throwUncaught } from '../model/listeners.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { createEdge } from './edge.ts';
import type { EdgeRuntime } from './served.ts';
import type { EdgeSettings } from './settings.ts';

/** The process, for the edge. */
interface EdgeHost extends Pick<EdgeRuntime, 'version' | 'environment' | 'readManifests'> {
  /** The listener is called for each signal that asks the process to stop. */
  readonly onStop: (listener: (signal: string) => void) => void;
  /** Ends the process. */
  readonly exit: (status: number) => void;
}

/** Resolves when the edge listens. Rejects if it cannot; nothing of it works on then. */
export async function runEdge(settings: EdgeSettings, host: EdgeHost): Promise<void> {
  const { version, environment, readManifests, onStop, exit } = host;
  const logger = createLogger({ level: settings.logLevel });
  logger.info({ version, ...shownSettings(settings) }, 'edge: starting');
  const edge = await createEdge(settings, { version, logger, environment, readManifests, onFault: crash(logger) });
  let isStopping = false;
  onStop((signal) => {
    if (isStopping) exit(1);
    isStopping = true;
    logger.info({ signal }, 'edge: stopping');
    edge.stop().then(
      () => exit(0),
      (error: unknown) => {
        logger.error({ error }, 'edge: cannot stop cleanly');
        exit(1);
      },
    );
  });
  try {
    logger.info({ port: await edge.start() }, 'edge: listening');
  } catch (error) {
    // What it has begun would keep the process.
    await edge.stop();
    throw error;
  }
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
    throwUncaught(error);
  };
}
