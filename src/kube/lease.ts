/** The Lease object by which replicas agree on a leader. */
import { isAppError } from '../errors.ts';
import type { Ref } from '../schema/object.ts';
import { microTime } from './micro-time.ts';
import { isRecord } from './raw-object.ts';
import type { Transport } from './transport.ts';

export interface LeaseState {
  readonly holder: string;
  readonly durationMs: number;
  readonly version: string;
}

export interface LeaseClient {
  read(signal?: AbortSignal): Promise<LeaseState | undefined>;
  hold(holder: string, over: LeaseState | undefined, signal?: AbortSignal): Promise<LeaseState>;
}

export interface LeaseParts {
  readonly transport: Transport;
  readonly ref: Ref;
  readonly durationMs: number;
  /** Ms since 1970; only for people who read the Lease. */
  readonly now: () => number;
}

/** A renewal that takes longer is no longer of use. */
const TIMEOUT_MS = 2_000;

export function createLease({ transport, ref, durationMs, now }: LeaseParts): LeaseClient {
  const all = `/apis/coordination.k8s.io/v1/namespaces/${ref.namespace}/leases`;
  const path = `${all}/${ref.name}`;
  let present: LeaseSpec = {};

  const taken = (answer: unknown): LeaseState => {
    const { metadata, spec } = answer as LeaseObject;
    present = spec ?? {};
    return {
      holder: present.holderIdentity ?? '',
      durationMs: (present.leaseDurationSeconds ?? durationMs / 1000) * 1000,
      version: metadata.resourceVersion,
    };
  };

  return {
    async read(signal) {
      try {
        return taken(await transport.request({ method: 'GET', path, signal, timeoutMs: TIMEOUT_MS }));
      } catch (error) {
        if (isAppError(error, 'not-found')) return undefined;
        throw error;
      }
    },
    async hold(holder, over, signal) {
      const spec = nextSpec(present, { holder, durationMs, time: microTime(now()) });
      const metadata = { ...ref, ...(over && { resourceVersion: over.version }) };
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
      const call = { body, signal, timeoutMs: TIMEOUT_MS };
      const answer = over
        ? await transport.request({ method: 'PUT', path, ...call })
        : await transport.request({ method: 'POST', path: all, ...call });
      return taken(isRecord(answer) ? answer : {});
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

/** As the Kubernetes components write it: a change of hands counts as a transition, a renewal does not. */
function nextSpec(present: LeaseSpec, next: { holder: string; durationMs: number; time: string }): LeaseSpec {
  const changesHands = next.holder !== '' && next.holder !== present.holderIdentity;
  const transitions = present.leaseTransitions ?? 0;
  return {
    holderIdentity: next.holder,
    leaseDurationSeconds: next.durationMs / 1000,
    acquireTime: changesHands ? next.time : (present.acquireTime ?? next.time),
    renewTime: next.time,
    leaseTransitions: changesHands && present.holderIdentity !== undefined ? transitions + 1 : transitions,
  };
}
