/**
 * The demo as a user starts it, with every command that it prints. test/soak/demo-ends.test.ts tests the rarer ways to
 * end it.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import {
  DEMO_START_MS,
  demoThatRuns,
  directoryOf,
  expectNothingLeft,
  familyOf,
  type RunningDemo,
  runDemo,
  runInDemo,
  stopDemos,
  type Trial,
  trialsOf,
} from '../support/running-demo.ts';

afterEach(stopDemos);

/** What each command shows. Reads are retried, because another cache may show a change a moment later. */
const wanted: Readonly<Record<string, { readonly shows: RegExp; readonly reads?: boolean }>> = {
  'The flags, with the environments where each one is on': {
    shows: /gift-wrapping +shop +release +production [\s\S]*one-page-checkout +shop +release +development,staging /,
  },
  'Switch one on in production: the application in the first terminal sees it': {
    shows: /one-page-checkout patched/,
  },
  'Refused, because Git owns this switch: the answer says what to do': {
    shows: /"FieldManagedError".*spec\.environments\.production\.enabled by \\"kustomize-controller\\"/,
  },
  'Why does a customer have a flag?': { shows: /On: The strategy "staff-first" .* applies/, reads: true },
  'Who changed what, the oldest first': { shows: /admin enabled one-page-checkout for the production/, reads: true },
};

async function tryOut(demo: RunningDemo, { title, command }: Trial): Promise<void> {
  const { shows, reads = false } = wanted[title] ?? { shows: /^$/ };
  await waitUntil({ what: `${command} shows ${shows}`, timeoutMs: reads ? 30_000 : 0 }, async () => {
    const { code, stdout, stderr } = await runInDemo(demo, command);
    if (!reads) expect({ code, output: stdout + stderr }).toEqual({ code: 0, output: expect.stringMatching(shows) });
    return code === 0 && shows.test(stdout);
  });
}

async function walk(demo: RunningDemo): Promise<void> {
  const trials = trialsOf(demo);
  expect(trials.map(({ title }) => title)).toEqual(Object.keys(wanted));
  for (const trial of trials) await tryOut(demo, trial);
  await waitUntil({ what: 'the application sees the change' }, () =>
    demo.stderr().includes('web-shop: one-page-checkout: on for 27 of 100 customers\n'),
  );
}

describe('the demo', { timeout: DEMO_START_MS + 60_000 }, () => {
  it('prints commands that work as they are, then ends on Ctrl-C without a trace', async () => {
    const demo = await demoThatRuns();
    await walk(demo);
    const family = await familyOf(demo);
    expect(family.length).toBeGreaterThanOrEqual(6);
    expect(family.filter(({ args }) => args.endsWith('demo/application.ts'))).toHaveLength(1);
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
