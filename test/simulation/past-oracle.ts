/** At any time, the archive says what was in force, or that it is uncertain. */
import { contentOf, type VersionContent } from '../../src/audit/archive/versions/content.ts';
import type { PastObject } from '../../src/audit/archive/versions/versions.ts';
import { definitions } from '../../src/kinds/registry.ts';
import { canonicalJson } from '../../src/model/json.ts';
import { decides, decidingPlurals } from '../../src/schema/kinds.ts';
import type { KubeObject } from './cluster/etcd.ts';
import { EPOCH } from './replica.ts';
import type { World } from './world.ts';

const plurals = new Map(definitions.map(([, { kind }]) => [kind.kind, kind.plural]));
const resources = decidingPlurals;

const TIMES = 20;

/** Compares what the archive says of random times with what the API server had. */
export async function pastEqualsLog(world: World): Promise<readonly string[]> {
  const { schedule } = world;
  const { scopes } = await world.database.versionsAt(0, resources);
  // Times of requests have whole ms.
  const since = Math.ceil(Math.max(...scopes.map((scope) => scope.since)));
  const complaints: string[] = [];
  for (let count = 0; count < TIMES; count += 1) {
    const at = Math.floor(since + schedule.random() * (EPOCH + schedule.now() - since));
    const found = await complaintsAt(world, at);
    complaints.push(...found.map((complaint) => `at ${at - EPOCH}, ${complaint}`));
  }
  return world.hasGaps ? complaints.filter((one) => !one.endsWith(UNKNOWN)) : complaints;
}

async function complaintsAt(world: World, at: number): Promise<readonly string[]> {
  const { objects, scopes } = await world.database.versionsAt(at, resources);
  // Of a kind that is recorded up to an earlier time, the last change of a status may be on its way.
  const isBehind = ({ kind, metadata }: KubeObject) =>
    !scopes.some(({ scope, until }) => isScopeOf(scope, plurals.get(kind), metadata.namespace) && until >= at);
  const said = new Map(objects.map((object) => [object.uid, object]));
  const kept = keptAt(world, at);
  const wrong = [...kept].flatMap(([uid, object]) => {
    const complaint = complaintAbout(object, said.get(uid), isBehind(object));
    return complaint === undefined ? [] : [`${object.metadata.name} (${uid}) ${complaint}`];
  });
  const left = objects.filter(
    ({ uid, before, after, span }) => !kept.has(uid) && before?.content && after.content && !span?.several,
  );
  return [...wrong, ...left.map(({ name, uid }) => `${name} (${uid}) did not exist`)];
}

/** Objects that were created and deleted in a gap are not known. */
const UNKNOWN = 'is not known';

function isScopeOf(scope: string, resource: string | undefined, namespace: string | undefined): boolean {
  return scope === `${resource}/` || scope === `${resource}/${namespace}`;
}

function complaintAbout(kept: KubeObject, said: PastObject | undefined, isBehind: boolean): string | undefined {
  if (!said) return UNKNOWN;
  const { before, after, span } = said;
  const shown = ({ spec, id }: VersionContent) => canonicalJson({ spec, ...(id !== undefined && !isBehind && { id }) });
  const recorded = [before, after].map((one) => (one?.content ? shown(one.content) : canonicalJson(null)));
  const truth = shown(contentOf({ spec: kept.spec, status: kept.status }));
  if (recorded.includes(truth) || span?.several) return undefined;
  return `was ${truth}, not ${recorded}, ${JSON.stringify(span)}`;
}

/** The deciding objects that existed at a time, by uid. */
function keptAt({ server }: World, at: number): ReadonlyMap<string, KubeObject> {
  const byKey = new Map<string, KubeObject | undefined>();
  // A change counts from the whole ms on in which it was made, as clocks of programs have no parts of it.
  for (const kept of server.etcd.log) if (Math.floor(kept.at) <= at) byKey.set(kept.key, kept.object);
  const objects = [...byKey.values()].flatMap((object) => object ?? []);
  const deciding = objects.filter(({ kind }) => decides(plurals.get(kind) ?? ''));
  return new Map(deciding.map((object) => [object.metadata.uid, object]));
}
