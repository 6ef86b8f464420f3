/** The states of change requests for one object in which nobody may change it otherwise, and the kinds of writes. */
import { ClusterError } from '../../src/errors.ts';
import type { Call } from '../../src/kube/api/transport.ts';
import type { ChangeRequestSpec } from '../../src/schema/change-request.ts';
import type { ApprovalsWorld } from './approvals-world.ts';
import type { Stored } from './stored.ts';

export interface ApprovalSubject {
  readonly kind: ChangeRequestSpec['target']['kind'];
  readonly plural: string;
  /** What the requests ask for. */
  readonly asked: Partial<ChangeRequestSpec>;
  /** The spec after the change that the requests ask for. */
  readonly applied: (spec: Stored) => object;
  /** The environments that approvals name; absent: production. */
  readonly approvedIn?: (name: string) => string[];
  /** A merge patch of another change that needs approval. */
  readonly other: object;
}

export interface ApprovalState {
  readonly name: string;
  /** Brings the object of this name into the state. */
  readonly prepare: (name: string) => Promise<unknown>;
}

/** `world` is called when a state is prepared. */
export function approvalStates(world: () => ApprovalsWorld, subject: ApprovalSubject): readonly ApprovalState[] {
  const { kind, plural, asked } = subject;
  const request = (name: string, more: object = {}) =>
    world().request('ada', name, { ...asked, target: { kind, name }, ...more });
  const patch = (name: string, spec: object) => world().patch('admin', world().pathOf(plural, name), spec);
  const places = (name: string) => (subject.approvedIn ? { environments: subject.approvedIn(name) } : {});
  const approved = async (name: string, more?: object) => {
    const one = await request(name, more);
    await world().approve('bob', one, places(name));
    return one;
  };
  const granted = async (name: string) => {
    const one = await approved(name);
    await world().untilGranted(name, plural);
    return one;
  };
  return [
    { name: 'no request', prepare: async () => undefined },
    {
      name: 'a request that nobody approved',
      prepare: async (name) => world().untilPhase(await request(name), 'Pending'),
    },
    {
      name: 'the approval of the author',
      async prepare(name) {
        const one = await request(name);
        await world().approve('ada', one, places(name));
        await world().untilPhase(one, 'Pending');
      },
    },
    { name: 'a grant of another value', prepare: granted },
    {
      name: 'a grant that was used, and its change taken back',
      async prepare(name) {
        const one = await granted(name);
        const { spec } = await world().read(plural, name);
        await patch(name, mergePatchTo(subject.applied(spec), spec));
        await world().untilPhase(one, 'Applied');
        await patch(name, mergePatchTo(spec, (await world().read(plural, name)).spec));
      },
    },
    {
      name: 'a rejected request',
      async prepare(name) {
        const one = await request(name);
        await world().approve('bob', one, { decision: 'Reject', ...places(name) });
        await world().untilPhase(one, 'Rejected');
      },
    },
    {
      name: 'a request that was cancelled after its approval',
      async prepare(name) {
        const one = await granted(name);
        await world().patch('ada', world().pathOf('changerequests', one.metadata.name), { cancelled: true });
        await world().untilPhase(one, 'Cancelled');
      },
    },
    {
      name: 'an expired request',
      prepare: async (name) =>
        world().untilPhase(await approved(name, { expiresAt: '2020-01-01T00:00:00Z' }), 'Expired'),
    },
    {
      name: 'a request for a later time',
      async prepare(name) {
        const times = { applyAt: '2090-01-01T00:00:00Z', expiresAt: '2091-01-01T00:00:00Z' };
        await world().untilPhase(await approved(name, times), 'Approved');
      },
    },
    {
      name: 'a request for another object of this name',
      prepare: async (name) =>
        world().untilPhase(await approved(name, { target: { kind, name, uid: 'another' } }), 'Outdated'),
    },
    {
      name: 'an object that changed after its approval',
      async prepare(name) {
        const one = await granted(name);
        await patch(name, subject.other);
        await world().untilPhase(one, 'Outdated');
      },
    },
  ];
}

export interface WritingMethod {
  readonly name: string;
  /** A dry run of the write that leads to this spec. */
  readonly callFor: (object: Stored, spec: object) => Call;
}

export function writingMethods(world: () => ApprovalsWorld, plural: string): readonly WritingMethod[] {
  const to = ({ metadata }: Stored) => ({ path: world().pathOf(plural, metadata.name), query: { dryRun: 'All' } });
  return [
    {
      name: 'a JSON patch',
      callFor: (object, value) => ({
        ...{ method: 'PATCH', contentType: 'application/json-patch+json', ...to(object) },
        body: [{ op: 'replace', path: '/spec', value }],
      }),
    },
    {
      name: 'a replacement',
      callFor: (object, spec) => ({ method: 'PUT', body: { ...object, spec }, ...to(object) }),
    },
    {
      name: 'a merge patch',
      callFor: (object, spec) => ({
        ...{ method: 'PATCH', contentType: 'application/merge-patch+json', ...to(object) },
        body: { spec: mergePatchTo(spec, object.spec) },
      }),
    },
  ];
}

/** The merge patch that leads from the present spec to this one. */
function mergePatchTo(next: Stored, present: Stored): Stored {
  const keys = new Set([...Object.keys(next ?? {}), ...Object.keys(present ?? {})]);
  return Object.fromEntries(
    [...keys].map((key) => {
      const [to, from] = [next[key], present[key]];
      const areMaps = [to, from].every((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
      return [key, areMaps ? mergePatchTo(to, from) : (to ?? null)];
    }),
  );
}

export async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => new Error('the call was not refused'),
    (reason: unknown) => reason,
  );
  return error instanceof ClusterError ? `${error.code}: ${error.message}` : String(error);
}
