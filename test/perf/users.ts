/**
 * Users for the benchmark of searches, each with its id and the status that the operator would write. The operator does
 * not write the ten thousand statuses, because that is not measured here and would take longer than the measurement.
 */
import { judgeUser } from '../../src/domain/people/judge-user.ts';
import { builtInRoleNamed } from '../../src/domain/people/roles.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import { flagUser } from '../../src/schema/flag-user.ts';
import { CONCURRENCY, HOME, pathOf } from './contents.ts';
import type { KeptClient } from './kept-client.ts';

export const USERS = 10_000;

const FIRST_NAMES = ['José', 'Ada', 'Lin', 'Søren', 'Łukasz', 'María', 'Anna', 'Peter', 'Zoë', 'Chen'];
const LAST_NAMES = [
  'Ahlgren',
  'Castillo',
  'Müller',
  'García',
  'Nguyễn',
  'Smith',
  'Okafor',
  'Ivanov',
  'Tanaka',
  'Dubois',
];

/** The e-mail address of a user. No other name contains it. */
export function addressOf(number: number): string {
  return `person.${String(number).padStart(5, '0')}@example.com`;
}

function nameOf(number: number): string {
  return `user-${String(number).padStart(5, '0')}`;
}

function userOf(number: number) {
  const first = FIRST_NAMES[number % FIRST_NAMES.length];
  const last = LAST_NAMES[Math.floor(number / FIRST_NAMES.length) % LAST_NAMES.length];
  const spec = { displayName: `${first} ${last}`, email: addressOf(number), rootRole: 'Editor' };
  return { apiVersion: API_VERSION, kind: flagUser.kind, metadata: { name: nameOf(number) }, spec };
}

/** Creates the users. The operator namespace must exist, and no operator may run yet. */
export async function fillUsers(admin: KeptClient, count: number): Promise<void> {
  let next = 0;
  const create = async () => {
    for (let number = next++; number < count; number = next++) await createUser(admin, number);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, create));
}

async function createUser(admin: KeptClient, number: number): Promise<void> {
  const path = pathOf(flagUser.plural, HOME);
  const { bytes } = await admin.call({ method: 'POST', path, body: userOf(number) });
  const alone = {
    conflictingOwner: undefined,
    idConflictWith: undefined,
    subjectConflictsWith: new Map(),
    emailConflictWith: undefined,
  };
  const user = parseObject(flagUser, JSON.parse(bytes.toString()));
  const { status } = judgeUser({ user, id: number + 1, ...alone, roleNamed: builtInRoleNamed }, Date.now());
  await admin.call({
    method: 'PATCH',
    path: `${path}/${nameOf(number)}/status`,
    contentType: 'application/merge-patch+json',
    body: { status },
  });
}
