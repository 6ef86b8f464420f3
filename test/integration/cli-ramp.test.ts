/** `vexil ramp` against a running operator, as a process. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Strategy } from '../../src/schema/strategy.ts';
import { aFlag } from '../support/builders.ts';
import { vexil } from '../support/command-line.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { ownedBy, type Writers, writersOf } from '../support/written-as.ts';

const TOKEN = `*:*.${'6e'.repeat(28)}`;
const GIT = 'kustomize-controller';
const steps = [{ rollout: 5, for: '24h' }, { rollout: 25, for: '48h' }, { rollout: 100 }];
const gradual = { name: 'flexibleRollout', parameters: { rollout: 0 }, ramp: { steps } };
const on = (strategies: Readonly<Record<string, Strategy>>) => ({
  environments: { production: { enabled: true, strategies } },
});

let instance: Instance;
let writers: Writers;

beforeAll(async () => {
  instance = await startInstance('cli-ramp', { settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN } });
  writers = writersOf(instance.cluster);
  const { home } = instance;
  const started = { ...gradual, ramp: { steps, startAt: '2026-01-01T00:00:00Z' } };
  const flags = [
    aFlag(`${home}/free`, on({ gradual, all: { name: 'default' } })),
    aFlag(`${home}/held`, on({ gradual: started })),
    aFlag(`${home}/two`, on({ one: gradual, other: { ...gradual, title: 'The other' } })),
    aFlag(`${home}/none`, on({ all: { name: 'default' } })),
  ];
  for (const flag of flags) await writers.apply(GIT, flag);
  await instance.judged(...flags);
});
afterAll(async () => {
  writers?.close();
  await instance?.stop();
});

const run = (...args: string[]) =>
  vexil(['ramp', ...args, '--env', 'production'], {
    environment: { VEXIL_SERVER: instance.url, VEXIL_TOKEN: TOKEN },
  });
const strategyOf = async (flag: string, key = 'gradual') =>
  (await instance.flag(`${instance.home}/${flag}`)).spec.environments.production.strategies[key];

test('a ramp in Git is started, skipped, paused, resumed and aborted only by its times', async () => {
  const started = await run('start', 'free');
  expect([started.code, started.stderr]).toEqual([0, '']);
  expect(started.stdout).toMatch(
    /^shop\/free in production: the ramp of the strategy \S+ is Running, step 1 of 3, 5 %, next step at 20\S+Z\n$/,
  );
  expect(await strategyOf('free')).toEqual({ ...gradual, ramp: { steps, startAt: expect.any(String) } });
  const skipped = JSON.parse(
    (await run('skip', 'free', '--step', '2', '--strategy', 'gradual', '--output', 'json')).stdout,
  );
  expect(skipped).toMatchObject({
    project: 'shop',
    feature: 'free',
    environment: 'production',
    action: 'skip',
    ramp: { state: 'Running', step: 2, rollout: 25 },
  });
  expect((await run('pause', 'free')).stdout).toMatch(/is Paused, step 2 of 3, 25 %\n$/);
  expect((await run('resume', 'free')).stdout).toContain('is Running, step 2 of 3');
  // The switch and the strategy stay as Git has them.
  const refused = await run('abort', 'free', '--patch');
  expect(parse(refused.stdout).spec.environments.production.strategies.gradual).toMatchObject({ disabled: true });
  expect((await strategyOf('free')).disabled).toBeUndefined();
  expect((await run('abort', 'free')).stdout).toMatch(/is Paused, step 2 of 3, 25 %\n$/);
  expect(await strategyOf('free')).toMatchObject({ disabled: true, ramp: { pausedAt: expect.any(String) } });
  const git = ownedBy(await instance.flag(`${instance.home}/free`), GIT, 'Apply');
  expect(JSON.stringify(git)).not.toMatch(/startAt|pausedAt/);
});

test('a start that Git owns is refused with the ways to resolve it, printed for Git, handed over, and forced', async () => {
  const before = await strategyOf('held');
  const skip = ['skip', 'held', '--step', '1'];
  const [refused, patch] = await Promise.all([run(...skip), run(...skip, '--patch')]);
  const field = 'spec.environments.production.strategies.gradual.ramp.startAt';
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain(`${field} is owned by "${GIT}" (Apply`);
  for (const way of ['--patch', '--hand-over', '--force']) {
    expect(refused.stderr).toMatch(
      new RegExp(`  vexil ramp skip held --env production --strategy [0-9a-f-]{36} --step 1 ${way} `),
    );
  }
  expect(patch.code).toBe(0);
  const { production } = parse(patch.stdout).spec.environments;
  expect(production.strategies.gradual.ramp).toEqual({ steps, startAt: expect.stringMatching(/^20/) });
  expect(production.strategies.gradual.ramp.startAt).not.toBe(before.ramp.startAt);
  expect(await strategyOf('held')).toEqual(before);

  const handedOver = await run(...skip, '--hand-over');
  expect(handedOver.code).toBe(1);
  expect(handedOver.stderr).toContain(`${field} is handed over. `);
  expect(await strategyOf('held')).toEqual(before);
  const api = ownedBy(await instance.flag(`${instance.home}/held`), 'vexil-api', 'Apply');
  expect(JSON.stringify(api)).toContain('f:startAt');
  const forced = await run(...skip, '--force');
  expect([forced.code, forced.stderr]).toEqual([0, expect.stringContaining(`took 1 field from ${GIT}`)]);
  expect(forced.stdout).toContain('is Running, step 1 of 3');
});

test('errors name the existing strategies, and the impossible actions of the ramp', async () => {
  const rows: readonly (readonly [args: readonly string[], code: number, says: string])[] = [
    [['start', 'none'], 66, 'there is no strategy with a ramp in the environment "production" of the flag "none"'],
    [['start', 'two'], 64, '(The other). Name the strategy.'],
    [['start', 'two', '--strategy', 'all'], 66, 'there is no strategy "all" with a ramp'],
    [['pause', 'two', '--strategy', 'one'], 1, 'The ramp is Waiting. There is nothing to pause.'],
    [['skip', 'two', '--strategy', 'one', '--step', '4'], 1, 'must be a step of the ramp, from 1 to 3.'],
    [['skip', 'two'], 64, 'skip needs --step'],
    [['start', 'two', '--step', '1'], 64, 'no other action takes one'],
    [['strat', 'two'], 64, 'Allowed choices are start, pause, resume, skip, abort.'],
  ];
  const finished = await Promise.all(rows.map(([args]) => run(...args)));
  expect(finished.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
    rows.map(([, code]) => ({ code, stdout: '' })),
  );
  for (const [index, [, , says]] of rows.entries()) expect(finished[index]?.stderr).toContain(says);
  expect((await run('start', 'two', '--strategy', 'The other')).code).toBe(0);
  expect([await strategyOf('two', 'one'), await strategyOf('two', 'other')]).toEqual([
    gradual,
    expect.objectContaining({ ramp: { steps, startAt: expect.any(String) } }),
  ]);
});
