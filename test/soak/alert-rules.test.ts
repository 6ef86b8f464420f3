/** The alerts in the real promtool: each fires when it should, with its texts, and is quiet otherwise. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { alertCases, completed, everyAlert, RULE_FILES } from '../support/alert-rules.ts';
import { promtool } from '../support/tools/prometheus.ts';

const alerts = everyAlert();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-alert-rules-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// promtool is built here unless another test has built it.
test('promtool accepts the rules without complaints', { timeout: 1_800_000 }, async () => {
  const { code, stdout, stderr } = await promtool(
    'check',
    'rules',
    '--lint=all',
    '--lint-fatal',
    ...Object.values(RULE_FILES),
  );
  expect([code, stderr]).toEqual([0, '']);
  const found = [...stdout.matchAll(/SUCCESS: (\d+) rules found/g)].map(([, count]) => Number(count));
  expect(found.reduce((sum, count) => sum + count, 0)).toBe(alerts.length);
});

test.each([...alertCases()])('the cases of %s', async (name, cases) => {
  const file = join(folder, name);
  await writeFile(file, stringify(completed(cases, alerts)));
  const { code, stdout, stderr } = await promtool('test', 'rules', file);
  expect(code, stdout + stderr).toBe(0);
});

test('the test detects a case with another expectation', async () => {
  const [[name = '', cases] = []] = alertCases();
  const file = join(folder, `wrong-${name}`);
  const louder = alerts.map((alert) => ({ ...alert, labels: { severity: 'deafening' } }));
  await writeFile(file, stringify(completed(cases ?? { rule_files: [], tests: [] }, louder)));
  const { code, stdout, stderr } = await promtool('test', 'rules', file);
  expect([code, stdout + stderr]).toEqual([1, expect.stringContaining('deafening')]);
});
