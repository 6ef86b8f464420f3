/** A real Unleash Edge, if its binary is on this machine (docs/edge.md, CONTRIBUTING.md). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePorts } from './control-plane/ports.ts';

export interface UnleashEdge {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

interface UnleashEdgeParts {
  /** The path of its program. */
  readonly binary: string;
  readonly upstreamUrl: string;
  readonly tokens: readonly string[];
  /** More options of its mode. */
  readonly more?: readonly string[];
}

/** Starts it with one worker, as the edge has one process. It may not listen yet. */
export async function startUnleashEdge({
  binary,
  upstreamUrl,
  tokens,
  more = [],
}: UnleashEdgeParts): Promise<UnleashEdge> {
  const [port = 0] = await freePorts(1);
  const own = ['--port', `${port}`, '--interface', '127.0.0.1', '--workers', '1'];
  const ofMode = [
    '--upstream-url',
    upstreamUrl,
    '--tokens',
    tokens.join(','),
    '--features-refresh-interval-seconds',
    '1',
    ...more,
  ];
  const child = spawn(binary, [...own, 'edge', ...ofMode], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  return {
    ...{ url: `http://127.0.0.1:${port}`, port },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
