/** A refusal does not disclose what exists: it is the same for existing and missing objects. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, type Rule } from '../support/account.ts';
import { type Answer, adminClient } from '../support/admin-client.ts';
import { aProject, aToken } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { type AccessCall, callsIn, inPay, isPlaced, placeManifests, sharedManifests } from './access-calls.ts';
import type { Place } from './endpoints/row.ts';

const KINDS = ['featureflags', 'projects', 'environments', 'strategydefinitions', 'flagusers', 'apitokens', 'segments'];
const VERBS = ['get', 'list', 'create', 'patch', 'delete'];
const accounts: Readonly<Record<string, readonly Rule[]>> = { 'no-rights': [], 'home-admin': [[VERBS, KINDS]] };

/** Existing objects in a namespace where neither user has rights. `nowhere` has names that do not exist. */
const there: Place = inPay;
const nowhere: Place = {
  project: 'no-such-project',
  environment: 'no-such-environment',
  flag: 'no-such-flag',
  archived: 'no-such-archived',
  parent: 'no-such-parent',
};

let instance: Instance;
const tokens = new Map<string, string>();

beforeAll(async () => {
  instance = await startInstance('existence', { settings: { VEXIL_AUTH: 'token' } });
  const { cluster, home, other, apply } = instance;
  await grantReviews(cluster, home);
  await apply(
    ...sharedManifests(home),
    aToken(`${home}/present-token`),
    ...placeManifests(other, inPay),
    aProject(`${other}/empty`),
  );
  for (const [name, rules] of Object.entries(accounts)) {
    tokens.set(name, (await createAccount(cluster, { namespace: home, name, rules: { [home]: rules } })).token);
  }
});
afterAll(() => instance.stop());

const as = (name: string) => adminClient(instance.url, { authorization: `Bearer ${tokens.get(name)}` });

/** Returns the status and the body. Leaves out the id of the error, and replaces each name of the request. */
function withoutNames({ status, text }: Answer, names: readonly string[]): string {
  const anonymous = text.replace(/"id":"[^"]*",/, '');
  return `${status} ${names.reduce((all, name, index) => all.replaceAll(`"${name}\\"`, `"${index}\\"`).replaceAll(`"${name}"`, `"${index}"`), anonymous)}`;
}

/** The answers to a call about an existing object, and to the same call about a missing one. */
async function answersTo(
  caller: string,
  pairs: readonly (readonly [AccessCall, AccessCall])[],
  places: readonly [Place, Place],
) {
  const call = as(caller);
  return Promise.all(
    pairs.map(async ([one, other]) => {
      const answers = await Promise.all([call(one.request, one.options), call(other.request, other.options)]);
      const [present, missing] = answers.map((answer, index) =>
        withoutNames(answer, [...Object.values(places[index] ?? {}), `change-${places[index]?.flag}`]),
      );
      return { route: one.route, present, missing };
    }),
  );
}

function pairsOf([one, other]: readonly [Place, Place]): readonly (readonly [AccessCall, AccessCall])[] {
  const others = callsIn(other);
  return callsIn(one).flatMap((call, index) => {
    const pendant = others[index];
    return pendant && isPlaced(call.route) ? [[call, pendant] as const] : [];
  });
}

test.each(['no-rights', 'home-admin'])(
  'a refusal is the same for missing projects and flags and those of another namespace, for %s',
  async (caller) => {
    // Environments are in the operator namespace.
    const places = [there, { ...nowhere, environment: there.environment }] as const;
    const pairs = pairsOf(places);
    expect(pairs.length).toBeGreaterThan(50);
    const answers = await answersTo(caller, pairs, places);
    expect(answers.filter(({ present, missing }) => present !== missing)).toEqual([]);
    for (const { route, present } of answers.filter((one) => !one.route.startsWith('GET /events'))) {
      expect([route, present]).toEqual([route, expect.stringMatching(/^403 /)]);
      expect(present).not.toContain(instance.other);
    }
  },
);

test('a refusal is the same for missing and existing environments, strategy types and API tokens, for callers without permissions', async () => {
  const rows: readonly (readonly [request: string, name: string, body?: unknown])[] = [
    ['GET /environments/NAME', 'production'],
    ['POST /environments/NAME/on', 'production'],
    ['POST /environments/NAME/off', 'production'],
    ['POST /environments/NAME/clone', 'production', { name: 'copy', type: 'test' }],
    ['GET /strategies/NAME', 'country'],
    ['PUT /strategies/NAME', 'country', { parameters: [] }],
    ['DELETE /strategies/NAME', 'country'],
    ['POST /strategies/NAME/deprecate', 'country'],
    ['POST /strategies/NAME/reactivate', 'country'],
    ['GET /api-tokens/NAME', 'present-token'],
    ['PUT /api-tokens/NAME', 'present-token', { expiresAt: null }],
    ['DELETE /api-tokens/NAME', 'present-token'],
    ['DELETE /projects/NAME', 'empty'],
    ['GET /environments/project/NAME', 'empty'],
  ];
  const call = as('no-rights');
  for (const request of ['GET /segments/ID', 'DELETE /segments/ID', 'GET /segments/ID/strategies']) {
    const ask = async (id: string) => withoutNames(await call(request.replace('ID', id)), [id]);
    expect([request, await ask('7')]).toEqual([request, await ask('4711')]);
  }
  for (const [request, name, body] of rows) {
    const ask = async (sent: string) =>
      withoutNames(await call(request.replace('NAME', sent), body === undefined ? {} : { body }), [sent]);
    const present = await ask(name);
    expect([request, present]).toEqual([request, await ask('no-such-thing')]);
    expect(present).toMatch(/^403 /);
  }
});

test.each<readonly [request: string, body: (environment: string) => object]>([
  ['POST /playground', (environment) => ({ environment, context: {} })],
  ['POST /playground/advanced', (environment) => ({ environments: [environment], context: {} })],
  ['POST /features-batch/export', (environment) => ({ environment, features: [] })],
])('%s says nothing about environments to callers without permissions', async (request, body) => {
  const ask = async (environment: string) =>
    withoutNames(await as('no-rights')(request, { body: body(environment) }), [environment]);
  const present = await ask('production');
  expect(present).toBe(await ask('no-such-thing'));
  expect(present).toMatch(/^200 /);
});
