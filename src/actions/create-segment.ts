/**
 * Creates a segment under a name that no other segment of the instance has, and waits until the leader has given its
 * id.
 */
import { wireNameOf } from '../domain/identity/names.ts';
import { Refusal } from '../errors.ts';
import { ignoreNotFound } from '../kube/api/errors.ts';
import type { Segment, SegmentSpec, SegmentStatus } from '../schema/segment.ts';
import { type Created, createUnderFreeName } from './create-under-free-name.ts';
import { refusalOfReservedName, refusalOfTakenName } from './name-refusals.ts';
import { resolveNameRace } from './resolve-name-race.ts';
import type { Services } from './services.ts';
import { nothingCreated, untilLeaderActs } from './until-leader-acts.ts';
import { waitForCache } from './wait-for-cache.ts';

export interface NewSegment {
  /** The namespace of the project, or the operator namespace for a segment without a project. */
  readonly namespace: string;
  readonly wireName: string;
  /** The spec without the name. */
  readonly spec: SegmentSpec;
  readonly dryRun: boolean;
}

/** Undefined: the namespace does not matter. */
export function checkNewSegment({ catalog }: Pick<Services, 'catalog'>, name: string, namespace?: string): void {
  if (catalog.segmentNamed(name)) throw segmentExists(name);
  const claim = catalog.segmentClaim(name);
  if (claim && namespace !== undefined && claim.namespace !== namespace) {
    throw refusalOfReservedName('segment name', name);
  }
}

export async function createSegment(services: Services, wanted: NewSegment): Promise<Segment> {
  const { object, isNew } = await createSegmentOrFind(services, wanted);
  if (!isNew) throw segmentExists(wanted.wireName);
  if (wanted.dryRun) return object;
  try {
    return await withId(services, object);
  } catch (error) {
    await services.segments.undoCreate(object).catch(ignoreNotFound);
    throw error;
  }
}

/** The new segment, or the one that another caller has created there at the same time. */
export async function createSegmentOrFind(
  services: Services,
  { namespace, wireName, spec, dryRun }: NewSegment,
): Promise<Created<SegmentSpec, SegmentStatus>> {
  const { catalog, segments, severalNamespaces } = services;
  checkNewSegment(services, wireName, namespace);
  const isClaimed = catalog.segmentClaim(wireName) !== undefined;
  const created = await createUnderFreeName(segments, { namespace, wireName, spec, dryRun });
  if (!created.isNew || !severalNamespaces || isClaimed || dryRun) return created;
  const cached = catalog.segmentNamed(wireName);
  const claim = () => catalog.segmentClaim(wireName);
  const yielded = await resolveNameRace(segments, { created: created.object, cached, claim });
  if (yielded) throw yielded.to ? segmentExists(wireName) : refusalOfReservedName('segment name', wireName);
  return created;
}

/** Watches the cache of this replica, so that it works on every replica. */
async function withId(services: Services, created: Segment): Promise<Segment> {
  const { segments } = services;
  const { metadata } = created;
  const look = () => {
    const present = segments.get(metadata);
    if (present?.metadata.uid === metadata.uid) return present.status?.id === undefined ? undefined : present;
    throw new Refusal('conflict', `The segment "${wireNameOf(created)}" was deleted meanwhile.`);
  };
  const read = (signal: AbortSignal) => waitForCache(look, { caches: [segments], signal });
  return untilLeaderActs(services, read, () => nothingCreated('given an id'));
}

function segmentExists(name: string): Refusal {
  return refusalOfTakenName({ subject: 'A segment', name });
}
