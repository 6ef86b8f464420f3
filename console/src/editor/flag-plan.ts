/** Plans for the flag of a page. */
import { ApiError, answerOf, api, asManifest } from '../api.ts';
import type { FeaturePlace } from '../feature/place.ts';
import { MAX_FIELDS } from '../queries.ts';
import { handOverFields } from '../switch/write-switch.ts';
import type { Bypass } from '../write/bypass.ts';
import { PATHS } from './flag-paths.ts';
import { type Base, type Plan, type Step, seenManifest } from './review/plan.ts';

interface PlanRights {
  readonly mayHandOver: boolean;
  readonly bypass?: Bypass | undefined;
}

export function planFor(place: FeaturePlace, steps: readonly Step[], { mayHandOver, bypass }: PlanRights): Plan {
  return {
    bypass,
    steps,
    readBase: () => readBase(place),
    ...(mayHandOver && { handOver: (fields) => handOverFields(place, fields) }),
  };
}

/** A flag that is gone can be put back. */
function orNothing(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}

/** Reads the version first: steps are sent with it, so Vexil notices a change between the two reads. */
async function readBase(path: FeaturePlace): Promise<Base> {
  const params = { path };
  const seen = await seenManifest(api.GET(PATHS.flag, { params, ...asManifest })).catch(orNothing);
  if (seen === undefined) return { text: '', etag: '*', fields: undefined };
  const query = { limit: MAX_FIELDS };
  const [{ fields }, { editUrl }] = await Promise.all([
    answerOf(api.GET(PATHS.ownership, { params: { path, query } })),
    answerOf(api.GET(PATHS.status, { params })),
  ]);
  return { ...seen, fields, editUrl };
}
