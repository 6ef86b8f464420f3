/** The demo leaves nothing behind, whichever way it ends. */
import { afterEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import {
  DEMO_START_MS,
  demoThatRuns,
  directoryOf,
  expectNothingLeft,
  familyOf,
  runDemo,
  runInDemo,
  stopDemos,
  trialsOf,
} from '../support/running-demo.ts';

const TOKEN = 'a-token-that-a-person-has-chosen';

afterEach(stopDemos);

describe('the demo', () => {
  it('generates its own token, and leaves nothing when it is killed', async () => {
    const demo = await demoThatRuns({ VEXIL_AUTH: 'token' });
    const refused = trialsOf(demo).find(({ command }) => command.startsWith('curl'))?.command ?? '';
    expect((await runInDemo(demo, refused)).stdout).toContain('FieldManagedError');
    const without = await runInDemo(demo, refused.replace(/-H "[^"]*"/, ''));
    expect(without.stdout).toContain('AuthenticationRequired');
    expect((await runInDemo(demo, 'vexil history faster-search')).stdout).toContain('lin@example.com');
    const family = await familyOf(demo);
    demo.child.kill('SIGKILL');
    await expectNothingLeft(family, directoryOf(demo));
  });

  it('reads a chosen token from a file, then reports when the operator has ended', async () => {
    const demo = await demoThatRuns({ VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN });
    const { stdout } = await runInDemo(demo, 'curl -sS -H "Authorization: $TOKEN" $API/projects');
    expect(stdout).toContain('"Web shop"');
    expect(demo.stdout() + demo.stderr()).not.toContain(TOKEN);
    const family = await familyOf(demo);
    for (const { pid } of family.filter(({ args }) => args.endsWith('src/main.ts'))) process.kill(pid, 'SIGKILL');
    expect(await demo.exited).toBe(1);
    expect(demo.stderr()).toMatch(/The operator ended by itself \(SIGKILL\)[\s\S]*cache: synced/);
    await expectNothingLeft(family, directoryOf(demo));
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends on %s while it starts', async (signal) => {
    const demo = runDemo();
    await waitUntil({ what: 'it installs', timeoutMs: DEMO_START_MS }, () =>
      demo.stderr().includes('installing crds/'),
    );
    const family = await familyOf(demo);
    demo.child.kill(signal);
    expect(await demo.exited).toBe(130);
    expect(demo.stdout()).toBe('');
    await expectNothingLeft(family);
  });

  it('reports the end of the API server', async () => {
    const demo = await demoThatRuns();
    const family = await familyOf(demo);
    for (const { pid } of family.filter(({ args }) => args.includes('kube-apiserver --'))) process.kill(pid, 'SIGKILL');
    expect(await demo.exited).toBe(1);
    expect(demo.stderr()).toMatch(/kube-apiserver ended by itself\. Its last lines:\n {2}/);
    await expectNothingLeft(family, directoryOf(demo));
  });
});
