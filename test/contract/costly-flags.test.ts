/** Flags whose rules prescribe as much work as the API server stores: everyone else is served meanwhile. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Constraint } from '../../src/schema/constraint.ts';
import type { Strategy } from '../../src/schema/strategy.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { tokenValue } from '../support/sdk-world.ts';

type Strategies = Readonly<Record<string, Strategy>>;

type Operand = Omit<Constraint, 'contextName'>;

const ADMIN = `*:*.${'7c'.repeat(28)}`;
const CHILDREN = 40;
/** Far above the budget of 50 ms on a busy machine, and far below the minutes without a budget. */
const MAX_WAIT_MS = 2_000;
let instance: Instance;
let page: string;

/** As many strategies and constraints as a flag in an environment can have, with different operands. */
function strategies(operand: (number: number) => Operand): Strategies {
  return Object.fromEntries(
    Array.from({ length: 29 }, (_, s) => [
      `s${s}`,
      {
        name: 'default',
        constraints: Array.from({ length: 29 }, (__, c) => ({ contextName: 'userId', ...operand(s * 29 + c) })),
      },
    ]),
  );
}

const inDevelopment = (rules: Strategies) => ({ environments: { development: { enabled: true, strategies: rules } } });
const all = { all: { name: 'default' } };

beforeAll(async () => {
  instance = await startInstance('costly', { settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN } });
  const { home } = instance;
  const repeated = (number: number): Operand => ({
    operator: 'REGEX',
    value: `(${'a'.repeat(40)}${String(number).padStart(3, '0')}){300}`,
  });
  const parts = Array.from({ length: 12 }, (_, number) => `${'a'.repeat(90)}${number}`);
  const contains = (): Operand => ({ operator: 'STR_CONTAINS', caseInsensitive: true, values: parts });
  await instance.apply(
    aFlag(`${home}/patterns`, inDevelopment(strategies(repeated))),
    aFlag(`${home}/parent`, inDevelopment(all)),
    ...Array.from({ length: CHILDREN }, (_, number) =>
      aFlag(`${home}/child-${number}`, { ...inDevelopment(all), dependencies: [{ feature: 'parent' }] }),
    ),
    aFlag(`${home}/healthy`, inDevelopment(all)),
  );
  // Too large for the annotation of `kubectl apply`.
  await instance.cluster.patchObject('ff/parent', home, { spec: inDevelopment(strategies(contains)) });
  page = await tokenValue(instance, 'page', { type: 'frontend', environment: 'development' });
});
afterAll(() => instance.stop());

/** The longest time that `GET /health` takes until the request is answered. */
async function maxWaitDuring(request: Promise<unknown>): Promise<number> {
  let isAnswered = false;
  const answered = request.finally(() => {
    isAnswered = true;
  });
  let maxWait = 0;
  do {
    const began = performance.now();
    await fetch(`${instance.url}/health`);
    maxWait = Math.max(maxWait, performance.now() - began);
  } while (!isAnswered);
  await answered;
  return maxWait;
}

const longUser = 'a'.repeat(1_980);

test('the status says that evaluations take too much work', async () => {
  for (const name of ['patterns', 'parent']) {
    const { status } = await instance.flag(`${instance.home}/${name}`);
    expect(status).toMatchObject({ problems: [{ severity: 'Error', reason: 'EvaluationTooCostly' }] });
  }
});

test('a browser gets the flags of others at once, and the operator answers meanwhile', async () => {
  const began = performance.now();
  const answer = adminClient(instance.url, { authorization: page })(`GET //api/frontend?userId=${longUser}`);
  expect(await maxWaitDuring(answer)).toBeLessThan(MAX_WAIT_MS);
  expect(performance.now() - began).toBeLessThan(MAX_WAIT_MS);
  expect((await answer).body.toggles.map(({ name }: { readonly name: string }) => name)).toEqual(['healthy']);
});

test('an explanation of the flag itself takes no longer', async () => {
  const request = `GET /projects/shop/features/patterns/evaluate?environment=development&userId=${longUser}`;
  const answer = adminClient(instance.url, { authorization: ADMIN })(request);
  expect(await maxWaitDuring(answer)).toBeLessThan(MAX_WAIT_MS);
  const { status, body } = await answer;
  expect(status).toBe(200);
  expect(JSON.stringify(body)).toContain('EvaluationTooCostly');
});
