/** `vexil compare` of 200 flags in three environments with 1,000 contexts, by documents and by frontend APIs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../../support/builders.ts';
import { vexilProcess } from '../../support/command-line.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { tokenValue } from '../../support/sdk-world.ts';

const PLACES = ['development', 'staging', 'production'];
const FLAGS = 200;
const MAX_SECONDS = 30;

let folder: string;
let instance: Instance;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-compare-'));
  instance = await startInstance('compare-time', { settings: { VEXIL_AUTH: 'token' } });
  const flags = Array.from({ length: FLAGS }, (_, number) => {
    const region = { contextName: 'region', operator: 'IN' as const, values: [`r${number % 7}`, 'eu'] };
    const parameters = { rollout: `${number % 101}`, stickiness: 'userId', groupId: `g${number}` };
    const place = {
      enabled: true,
      strategies: {
        some: { name: 'default', constraints: [region] },
        share: { name: 'flexibleRollout', parameters },
      },
      variants: [
        { name: 'left', weight: 500 },
        { name: 'right', weight: 500 },
      ],
    };
    return aFlag(`${instance.home}/flag-${number}`, {
      environments: Object.fromEntries(PLACES.map((one) => [one, place])),
    });
  });
  await instance.apply(...flags);
  await instance.judged(...flags);
  const tokens: string[] = [];
  for (const environment of PLACES) {
    tokens.push(await tokenValue(instance, `backend-${environment}`, { environment }));
    tokens.push(await tokenValue(instance, `browser-${environment}`, { type: 'frontend', environment }));
  }
  await writeFile(join(folder, 'tokens'), tokens.join('\n'));
});
afterAll(async () => {
  await instance.stop();
  await rm(folder, { recursive: true, force: true });
});

test(`takes at most ${MAX_SECONDS} seconds`, async () => {
  const started = performance.now();
  const given = ['--tokens', join(folder, 'tokens'), '--output', 'json'];
  const { code, stdout, stderr } = await vexilProcess(['compare', instance.url, instance.url, ...given]);
  const seconds = (performance.now() - started) / 1000;
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ flags: FLAGS, contexts: 1000, environments: PLACES.toSorted() });
  process.stderr.write(`vexil compare took ${seconds.toFixed(1)} s\n`);
  expect(seconds).toBeLessThan(MAX_SECONDS);
});
