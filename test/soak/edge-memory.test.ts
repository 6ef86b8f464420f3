/** The memory of an edge that runs as it is installed, with 1,000 flags in three environments. */
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { startProgram } from '../perf/child-program.ts';
import { footprintOf } from '../perf/scale/footprint.ts';
import type { AllHave, ReadersQuestion } from '../perf/streams/readers.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type EdgeProgram, startEdgeProgram } from '../support/edge-program.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';

const FLAGS = 1_000;
const TOKENS = ['development', 'staging', 'production'].map((name) => `*:${name}.0123456789abcdef0123456789`);
const DEPLOYMENT = new URL('../../config/edge/deployment.yaml', import.meta.url);
const SETTLE_MS = 30_000;
/** Of them, 52 are pages of the file of Node.js. */
const MAX_MIB = { idle: 90, withStreams: 120 };

const readers = startProgram<ReadersQuestion, AllHave>('streams/readers.ts');
let upstream: ScriptedUpstream;
let edge: EdgeProgram;
afterAll(async () => {
  await readers.stop();
  await edge?.end('SIGTERM');
  await upstream?.stop();
});

const flagOf = (environment: string, number: number) => ({
  ...{ name: `flag-${number}`, type: 'release', project: 'default', enabled: true, stale: false },
  description: `Checkout in one step, in ${environment}, as the team of payments has planned it for this year.`,
  strategies: [
    {
      name: 'flexibleRollout',
      parameters: { rollout: `${number % 101}`, groupId: `flag-${number}`, stickiness: 'userId' },
      constraints: [{ contextName: 'userId', operator: 'STR_ENDS_WITH', values: ['@example.com'], inverted: false }],
    },
  ],
  variants: [],
});

/** The options of Node.js in the Deployment. */
async function nodeOptions(): Promise<readonly string[]> {
  const [, args = ''] = /args: \[(.*), \/app\/edge.js\]/.exec(await readFile(DEPLOYMENT, 'utf8')) ?? [];
  return args.split(', ');
}

const untilAtMost = async (mib: number) => {
  const seen: number[] = [];
  const isSmall = async () => {
    const { residentMb } = await footprintOf(edge.pid);
    seen.push(residentMb);
    return residentMb <= mib;
  };
  await waitUntil({ what: `the edge takes at most ${mib} MiB`, timeoutMs: SETTLE_MS, everyMs: 1_000 }, isSmall);
  process.stderr.write(`the edge takes ${seen.at(-1)?.toFixed(1)} MiB, at first ${seen[0]?.toFixed(1)} MiB\n`);
};

test('an edge is small, also with 1,000 streams', async () => {
  upstream = await startScriptedUpstream();
  for (const token of TOKENS) upstream.tokens.add(token);
  upstream.answer(({ headers }, response) => {
    const [, environment = ''] = /:(.*)[.]/.exec(headers.authorization ?? '') ?? [];
    const features = Array.from({ length: FLAGS }, (_, number) => flagOf(environment, number));
    response.end(JSON.stringify({ version: 2, features }));
  });
  const program = new URL('edge.js', pathToFileURL(process.env['VEXIL_TEST_PROGRAM'] ?? ''));
  const settings = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '2', UPSTREAM_URL: upstream.url };
  edge = await startEdgeProgram(
    { ...settings, TOKENS: TOKENS.join(), FEATURES_REFRESH_INTERVAL_SECONDS: '3600' },
    { program, nodeOptions: await nodeOptions() },
  );
  for (const token of TOKENS) {
    const read = async () => fetch(`${edge.url}/api/client/features`, { headers: { Authorization: token } });
    await waitUntil({ what: 'the edge serves' }, async () => (await read()).ok);
    const { features } = (await (await read()).json()) as { readonly features: readonly unknown[] };
    expect(features).toHaveLength(FLAGS);
  }
  await untilAtMost(MAX_MIB.idle);
  const streams = { open: 1_000, port: Number(new URL(edge.url).port), path: '/api/client/streaming' };
  await readers.ask({ ...streams, token: TOKENS[0] ?? '' });
  await untilAtMost(MAX_MIB.withStreams);
});
