/** Reports what happened at a fault proxy. */
import { expect } from 'vitest';
import type { SeenRequest, Verb } from './exchange.ts';
import type { Fault } from './faults.ts';
import type { FaultProxy } from './start-fault-proxy.ts';

/** How often a fault has happened. */
export function timesFired({ fired }: FaultProxy, { name }: Pick<Fault, 'name'>): number {
  return fired.filter((one) => one === name).length;
}

/** Fails if the fault never happened, because the test has then shown nothing. */
export function expectFired(proxy: FaultProxy, fault: Pick<Fault, 'name'>, atLeast = 1): void {
  expect(timesFired(proxy, fault), `the fault "${fault.name}" has happened`).toBeGreaterThanOrEqual(atLeast);
}

/** The requests for a resource among many. */
export function requestsFor(requests: readonly SeenRequest[], resource: string, ...verbs: Verb[]): SeenRequest[] {
  return requests.filter((one) => one.resource === resource && verbs.includes(one.verb));
}

/** Matches requests for a resource. */
export function on(resource: string, ...verbs: Verb[]): (request: SeenRequest) => boolean {
  return (request) => request.resource === resource && verbs.includes(request.verb);
}

/**
 * Prints one line in the output of the tests: the faults that happened, and the requests that the API server received.
 */
export function recordHistory(proxy: FaultProxy, test: string): void {
  const faults = counted(proxy.fired);
  const requests = counted(proxy.reached.map(({ resource, verb }) => `${resource} ${verb}`));
  const saw = `the API server saw ${proxy.reached.length} of ${proxy.arrived.length} requests: ${requests}`;
  process.stdout.write(`  ${test}\n    faults: ${faults || 'none'}; ${saw}\n`);
}

function counted(names: readonly string[]): string {
  const groups = [...Map.groupBy(names, (name) => name)];
  return groups.map(([name, { length }]) => `${name} ×${length}`).join(', ');
}
