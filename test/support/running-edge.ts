/** The real edge inside this process, on a free port. */
import { createEdge } from '../../src/edge/edge.ts';
import type { EdgeRuntime } from '../../src/edge/served.ts';
import { readEdgeSettings } from '../../src/edge/settings.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { captureLog } from './capture-log.ts';

export interface RunningEdge {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  /** The log so far, one object per line. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
}

/** `settings` are variables such as UPSTREAM_URL. Resolves when the edge listens. */
export async function startEdge(
  settings: Readonly<Record<string, string>>,
  { readManifests }: Pick<EdgeRuntime, 'readManifests'> = {},
): Promise<RunningEdge> {
  const log: Readonly<Record<string, unknown>>[] = [];
  const environment = { PORT: '0', INTERFACE: '127.0.0.1', ...settings };
  // Tests do not wait for polls.
  const edge = await createEdge(
    { ...readEdgeSettings({}, environment), refresh: 0.05 },
    {
      version: 'test',
      logger: createLogger({ level: 'debug', destination: captureLog(log) }),
      environment: {},
      readManifests,
      onFault(error) {
        throw error;
      },
    },
  );
  const port = await edge.start();
  return { url: `http://127.0.0.1:${port}`, log, stop: edge.stop };
}
