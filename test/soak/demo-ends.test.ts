/** The demo leaves nothing behind, whichever way it ends. */
import { afterEach, describe, expect, it } from 'vitest';
import { runProgram } from '../support/control-plane/run-program.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import {
  DEMO_START_MS,
  demoThatRuns,
  directoryOf,
  expectNothingLeft,
  familyOf,
  runDemo,
  stopDemos,
  trialsOf,
} from '../support/running-demo.ts';

const TOKEN = 'a-token-that-a-person-has-chosen';

afterEach(stopDemos);

describe('the demo', () => {
  it('generates its own token, and leaves nothing when it is killed', async () => {
    const demo = await demoThatRuns({ VEXIL_AUTH: 'token' });
    const see = trialsOf(demo).find(({ title }) => title === 'See it through the API')?.command ?? '';
    expect(see).toMatch(/ -H 'Authorization: [0-9a-f]{32}' /);
    const { stdout } = await runProgram('bash', ['-c', see]);
    expect(stdout).toContain('HTTP 200');
    const without = await runProgram('bash', ['-c', see.replace(/-H '[^']*'/, '')]);
    expect(without.stdout).toContain('HTTP 401');
    const family = await familyOf(demo);
    demo.child.kill('SIGKILL');
    await expectNothingLeft(family, directoryOf(demo));
  });

  it('with a token prints commands that contain it, then reports when the operator has ended', async () => {
    const demo = await demoThatRuns({ VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN });
    const calls = trialsOf(demo).filter(({ command }) => command.startsWith('curl'));
    expect(calls.length).toBeGreaterThan(5);
    expect(calls.filter(({ command }) => !/ -H '?@\S+authorization'? /.test(command))).toEqual([]);
    for (const { command } of calls.filter(({ command }) => !command.includes(' -X '))) {
      expect((await runProgram('bash', ['-c', command])).stdout, command).toContain('HTTP 200');
    }
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
