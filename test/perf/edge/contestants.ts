/** The programs that the edge is compared with, in front of the same upstream. */
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { startEdgeProgram } from '../../support/edge-program.ts';
import { startScriptedUpstream } from '../../support/scripted-upstream.ts';
import { startUnleashEdge } from '../../support/unleash-edge.ts';
import { flagName } from '../contents.ts';
import type { Undo } from '../run-bench.ts';

export const FLAGS = 350;
export const CLIENT_TOKEN = `*:production.${'c1'.repeat(20)}`;
export const FRONTEND_TOKEN = `*:production.frontend-${'f1'.repeat(20)}`;

export interface Contestant {
  readonly name: string;
  readonly port: number;
}

/** Starts an upstream with flags of a realistic size, which do not change. Returns its URL. */
export async function startUpstream(undoLater: (undo: Undo) => void): Promise<string> {
  const upstream = await startScriptedUpstream();
  undoLater(upstream.stop);
  for (const token of [CLIENT_TOKEN, FRONTEND_TOKEN]) upstream.tokens.add(token);
  const text = JSON.stringify({ version: 2, features: Array.from({ length: FLAGS }, (_, number) => flagOf(number)) });
  upstream.answer(({ headers }, response) => {
    if (headers['if-none-match'] === TAG) response.writeHead(304).end();
    else response.writeHead(200, { ETag: TAG, 'Content-Type': 'application/json' }).end(text);
  });
  return upstream.url;
}

const TAG = '"the-same"';

function flagOf(number: number) {
  const name = flagName(number);
  return {
    ...{ name, type: 'release', project: 'default', enabled: number % 3 > 0, stale: false, impressionData: false },
    description: 'Checkout in one step, as the team of payments has planned it for this year.',
    strategies: [
      {
        name: 'flexibleRollout',
        parameters: { rollout: `${number % 101}`, groupId: name, stickiness: 'userId' },
        constraints: [{ contextName: 'userId', operator: 'STR_ENDS_WITH', values: ['@example.com'], inverted: false }],
      },
      { name: 'default', parameters: {}, constraints: [] },
    ],
    variants: [],
  };
}

/** The edge as the image runs it. */
export async function startOurs(upstreamUrl: string, undoLater: (undo: Undo) => void): Promise<Contestant> {
  const program = new URL('../../../dist/edge.js', import.meta.url);
  const settings = { NODE_ENV: 'production', UPSTREAM_URL: upstreamUrl, TOKENS: `${CLIENT_TOKEN},${FRONTEND_TOKEN}` };
  const edge = await startEdgeProgram(settings, {
    program,
    nodeOptions: ['--max-semi-space-size=2', '--optimize-for-size'],
  });
  undoLater(() => edge.end('SIGTERM').then(() => undefined));
  return untilServing({ name: 'Vexil edge', port: Number(new URL(edge.url).port) });
}

interface Others {
  readonly upstreamUrl: string;
  readonly undoLater: (undo: Undo) => void;
}

export async function startTheirs(binary: string, { upstreamUrl, undoLater }: Others): Promise<Contestant> {
  const { port, stop } = await startUnleashEdge({ binary, upstreamUrl, tokens: [CLIENT_TOKEN, FRONTEND_TOKEN] });
  undoLater(stop);
  return untilServing({ name: 'Unleash Edge', port });
}

async function untilServing(contestant: Contestant): Promise<Contestant> {
  const url = `http://127.0.0.1:${contestant.port}/api/client/features`;
  const headers = { Authorization: CLIENT_TOKEN };
  const serves = async () => {
    const answer = await fetch(url, { headers }).catch(() => undefined);
    return answer?.ok === true && ((await answer.json()) as { features: unknown[] }).features.length === FLAGS;
  };
  await waitUntil({ what: `${contestant.name} has the flags`, timeoutMs: 60_000, everyMs: 50 }, serves);
  return contestant;
}
