/** The Lease object of leader election. */
import { isClusterError } from '../../errors.ts';
import { microTime } from '../../model/clock.ts';
import type { Ref } from '../../model/object.ts';
import { resourcePath } from './paths.ts';
import type { Transport } from './transport.ts';

export interface LeaseRecord {
  readonly holder: string;
  readonly durationMs: number;
  readonly version: string;
}

export interface LeaseClient {
  read(signal?: AbortSignal): Promise<LeaseRecord | undefined>;
  hold(holder: string, over: LeaseRecord | undefined, signal?: AbortSignal): Promise<LeaseRecord>;
}

export interface LeaseParts {
  readonly transport: Transport;
  readonly ref: Ref;
  readonly durationMs: number;
  /** Ms since 1970; written for people who read the Lease, never compared. */
  readonly now: () => number;
}

/** The greatest that a replica can be set to: with a longer one in a planted Lease, none would lead. */
const MAX_DURATION_MS = 300_000;

const LEASES = { plural: 'leases', root: 'apis/coordination.k8s.io/v1' };

export function createLease({ transport, ref, durationMs, now }: LeaseParts): LeaseClient {
  const all = resourcePath(LEASES, ref.namespace);
  const path = resourcePath(LEASES, ref.namespace, ref.name);
  // A renewal that takes longer is of no use.
  const timeoutMs = durationMs / 3;
  let present: LeaseSpec = {};

  const taken = (answer: unknown): LeaseRecord => {
    const { metadata, spec } = answer as LeaseObject;
    present = spec ?? {};
    return {
      holder: present.holderIdentity ?? '',
      durationMs: Math.min((present.leaseDurationSeconds ?? durationMs / 1000) * 1000, MAX_DURATION_MS),
      version: metadata.resourceVersion,
    };
  };

  return {
    async read(signal) {
      try {
        return taken(await transport.request({ method: 'GET', path, signal, timeoutMs }));
      } catch (error) {
        if (isClusterError(error, 'not-found')) return undefined;
        throw error;
      }
    },
    async hold(holder, over, signal) {
      const spec = nextSpec(present, { holder, durationMs, time: microTime(now()) });
      const metadata = { ...ref, ...(over && { resourceVersion: over.version }) };
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
      const call = { body, signal, timeoutMs };
      const where = over ? ({ method: 'PUT', path } as const) : ({ method: 'POST', path: all } as const);
      return taken(await transport.request({ ...where, ...call }));
    },
  };
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

interface LeaseObject {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec?: LeaseSpec;
}

/** Follows client-go: a change of holder counts as a transition, a renewal does not. */
function nextSpec(present: LeaseSpec, next: { holder: string; durationMs: number; time: string }): LeaseSpec {
  const changesHolder = next.holder !== '' && next.holder !== present.holderIdentity;
  const transitions = present.leaseTransitions ?? 0;
  return {
    holderIdentity: next.holder,
    leaseDurationSeconds: next.durationMs / 1000,
    acquireTime: changesHolder ? next.time : (present.acquireTime ?? next.time),
    renewTime: next.time,
    leaseTransitions: changesHolder && present.holderIdentity !== undefined ? transitions + 1 : transitions,
  };
}
