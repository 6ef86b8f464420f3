/**
 * The demo as a user starts it, with every command that it prints. test/soak/demo-ends.test.ts tests the rarer ways to
 * end it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { runProgram } from '../support/control-plane/run-program.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import {
  DEMO_START_MS,
  demoThatRuns,
  directoryOf,
  expectNothingLeft,
  familyOf,
  type RunningDemo,
  runDemo,
  stopDemos,
  type Trial,
  trialsOf,
} from '../support/running-demo.ts';

afterEach(stopDemos);

/** The output of each command. All commands exit with 0 unless the row says otherwise. */
const wanted: Readonly<Record<string, { readonly shows: RegExp; readonly code?: number }>> = {
  'The flags, with the environments where each one is on': { shows: /one-page-checkout +shop +release +development,/ },
  'Everything about one of them, with what is in effect': { shows: /Message: +Everything in the spec is in effect/ },
  'Who works with flags, in which roles, and a strategy type of the shop': {
    shows: /ada +[12] +ada@example\.com +Admin +True[\s\S]*release-captain +6 +project[\s\S]*In countries/,
  },
  'What a field means': { shows: /FIELD: strategies[\s\S]*a DNS label of your choice/ },
  'Switch it on in production with kubectl': { shows: /one-page-checkout patched/ },
  'See it through the API': { shows: /"name":"production","enabled":true[\s\S]*HTTP 200/ },
  'Apply the same YAML again, as GitOps does: it does not name the switch, so the switch stays': {
    shows: /^(featureflag\S+ unchanged\n){4}$/,
  },
  'The experiment is over: say so through the API': { shows: /"stale":true[\s\S]*HTTP 200/ },
  'Cards cannot be charged: switch card payments off through the API': { shows: /^\nHTTP 200/ },
  'See both with kubectl, and who changed each flag last': {
    // A caller without a token has no name.
    shows:
      /button-colour .* true +True .* (unknown|bootstrap-token)\n[\s\S]*card-payments +shop +kill-switch +True .* (unknown|bootstrap-token)\n/,
  },
  'Switch card payments on again': { shows: /^\nHTTP 200/ },
  'Create a flag through the API': { shows: /"name":"gift-cards"[\s\S]*HTTP 201/ },
  'Refused, with the reason: there is nothing to switch on yet': { shows: /Add a strategy first[\s\S]*HTTP 409/ },
  'Refused, even while no operator runs: a flag stays in its project': {
    shows: /spec.project is immutable .* delete the flag, then create it in the other project/,
    code: 1,
  },
  'Refused as well: a protected environment is not deleted': {
    shows: /environment production is protected; set spec.protected to false first/,
    code: 1,
  },
  'The history, newest first, with the authors': {
    shows:
      /^\{"events":\[\{"id":6,.*"type":"feature-created","createdBy":"(unknown|bootstrap-token)".*"total":6\}\nHTTP 200/,
  },
  'The history of one flag, as lines of JSON': {
    shows: /^\{.*"feature-environment-disabled".*\}\n\{.*"feature-environment-enabled".*\}\n\nHTTP 200/,
  },
  'The same as Events of Kubernetes': {
    shows:
      /FeatureEnvironmentEnabled +featureflag\/one-page-checkout +Flag .* for the production environment by (admin|field manager \S+)\n/,
  },
  'kubectl describe shows the Events with the object, too': {
    shows: /Events:[\s\S]*FeatureStaleOn .* was marked as stale by (someone unknown|bootstrap-token) \(api\)\n/,
  },
  'Refused: only Vexil writes Events of the history': { shows: /denied request: only Vexil writes Events/, code: 1 },
  'Watch while you change flags elsewhere (Ctrl-C ends it)': { shows: /gift-cards/ },
};

/** Runs the command. Another controller or cache may show the result a moment later, so only reads are retried. */
async function tryOut({ title, command }: Trial): Promise<void> {
  const { shows, code = 0 } = wanted[title] ?? { shows: /^$/ };
  if (command.endsWith(' -w')) return watch(command, shows);
  const reads = command.startsWith('curl') ? !command.includes(' -X ') : / (get|describe) /.test(command);
  await waitUntil({ what: `${command} shows ${shows}`, timeoutMs: reads ? 30_000 : 0 }, async () => {
    const finished = await runProgram('bash', ['-c', command], { cwd: tmpdir() });
    const found = { code: finished.code, output: finished.stdout + finished.stderr };
    if (!reads) expect(found, command).toEqual({ code, output: expect.stringMatching(shows) });
    return found.code === code && shows.test(found.output);
  });
}

async function watch(command: string, shows: RegExp): Promise<void> {
  const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  await waitUntil({ what: `${command} shows ${shows}` }, () => shows.test(output));
  child.kill('SIGINT');
  await once(child, 'close');
}

async function walk(demo: RunningDemo): Promise<void> {
  const trials = trialsOf(demo);
  expect(trials.map(({ title }) => title)).toEqual(Object.keys(wanted));
  for (const trial of trials) await tryOut(trial);
}

describe('the demo', { timeout: DEMO_START_MS + 60_000 }, () => {
  it('prints commands that work as they are, then ends on Ctrl-C without a trace', async () => {
    const demo = await demoThatRuns();
    await walk(demo);
    const family = await familyOf(demo);
    expect(family.length).toBeGreaterThanOrEqual(5);
    demo.child.kill('SIGINT');
    expect(await demo.exited).toBe(0);
    await expectNothingLeft(family, directoryOf(demo));
  });

  it('names the port that is in use, with a solution', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const demo = runDemo({ VEXIL_HTTP_PORT: `${port}` });
    expect(await demo.exited).toBe(1);
    expect(demo.stderr()).toContain(`port ${port} (127.0.0.1): another program listens there.`);
    expect(demo.stderr()).toContain('VEXIL_HTTP_PORT=0 make demo');
    other.close();
  });

  it('refuses an unknown setting, before it starts anything', async () => {
    const demo = runDemo({ VEXIL_HTP_PORT: '4242' });
    expect(await demo.exited).toBe(1);
    expect(demo.stderr()).toBe('VEXIL_HTP_PORT is not a setting; the nearest one is VEXIL_HTTP_PORT\n');
  });
});
