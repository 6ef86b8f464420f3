/** The flags of the scale measurement: applied, stripped of their status, deleted. */

import type { Ref } from '../../../src/model/object.ts';
import { flagName, flagOf, pathOf, SHOP } from '../contents.ts';
import type { KeptClient } from '../kept-client.ts';

/** An unlimited number of calls at once would measure the queue of the API server. */
const CONCURRENCY = 16;

export const NAMESPACES = Array.from({ length: 10 }, (_, index) => `${SHOP}-${index}`);

/** The namespace of a flag: the flags are in the namespaces in turn. The project of a namespace has its name. */
function namespaceOf(number: number): string {
  return NAMESPACES[number % NAMESPACES.length] ?? SHOP;
}

export function placeOf(number: number): Ref {
  return { namespace: namespaceOf(number), name: flagName(number) };
}

export async function applyFlags(admin: KeptClient, count: number): Promise<void> {
  await forEachFlag(count, (number) => {
    const namespace = namespaceOf(number);
    return admin.call({ method: 'POST', path: pathOf('featureflags', namespace), body: flagOf(number, namespace) });
  });
}

/** Removes all statuses, as after a restored backup. */
export async function stripStatuses(admin: KeptClient, count: number): Promise<void> {
  await forEachFlag(count, (number) =>
    admin.call({
      method: 'PATCH',
      path: `${pathOf('featureflags', namespaceOf(number), flagName(number))}/status`,
      contentType: 'application/merge-patch+json',
      body: { status: null },
    }),
  );
}

export async function deleteFlags(admin: KeptClient): Promise<void> {
  await Promise.all(
    NAMESPACES.map((namespace) => admin.call({ method: 'DELETE', path: pathOf('featureflags', namespace) })),
  );
}

async function forEachFlag(count: number, act: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let number = next++; number < count; number = next++) await act(number);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}
