/** The flags of the cluster. */
import type { Catalog } from '../catalog/catalog.ts';
import { type ProjectView, undisputedEffect } from '../catalog/project-views.ts';
import { effectAt } from '../domain/flag/effect.ts';
import type { FlagContext } from '../domain/flag/flag-context.ts';
import { isArchived, projectIdOf } from '../domain/flag/flag-values.ts';
import { momentsOf, timesIn } from '../domain/flag/moments.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { memo } from '../model/memo.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { presentClientFeature } from '../wire/client/feature.ts';
import type { PlannedFeature } from '../wire/client/for-edges.ts';
import { segmentsOf } from '../wire/client/segment.ts';
import type { FlagGroup, FlagOrigin, OriginFlag, ServedPlace } from './flag-origin.ts';

/** The memory is bounded by the number of flags and environments. */
export function createCatalogOrigin(catalog: Catalog): FlagOrigin {
  const byEnvironment = memo((_flag: FeatureFlag, _: FlagContext) => new Map<string, OriginFlag>());
  const inEnvironment = (flag: FeatureFlag, flagContext: FlagContext, environment: string): OriginFlag => {
    const known = byEnvironment(flag, flagContext);
    const found = known.get(environment) ?? {
      ...placeOf(flag),
      read: () => read(flag, flagContext, environment),
      plan: () => plan(flag, flagContext, environment),
    };
    known.set(environment, found);
    return found;
  };
  const groupOf = memo(
    (view: ProjectView, _: undefined): FlagGroup => ({
      *flags(environment, isWanted = () => true) {
        for (const flag of view.flags) {
          if (isArchived(flag) || !isWanted(placeOf(flag))) continue;
          yield inEnvironment(flag, catalog.withRelated(flag, view.flagContext), environment);
        }
      },
    }),
  );

  return {
    version: catalog.version,
    onTouched: catalog.onTouched,
    groups: (projects) =>
      (projects ?? catalog.projects().map(wireNameOf)).flatMap((id) => {
        const view = catalog.view(id);
        return view ? groupOf(view, undefined) : [];
      }),
    named(name, { environment, projects }) {
      const flag = catalog.flag(name);
      if (!flag || isArchived(flag) || projects?.includes(projectIdOf(flag)) === false) return undefined;
      const flagContext = catalog.flagContextOf(flag);
      return flagContext.project && inEnvironment(flag, flagContext, environment);
    },
  };
}

function placeOf(flag: FeatureFlag): ServedPlace {
  return { name: wireNameOf(flag), project: projectIdOf(flag), tags: flag.spec.tags ?? [] };
}

function read(flag: FeatureFlag, flagContext: FlagContext, environment: string): ReturnType<OriginFlag['read']> {
  const { segments: lookups } = flagContext;
  const effect = undisputedEffect(flag, flagContext);
  const feature = presentClientFeature({ flag, effect, segments: lookups }, environment);
  return { feature, segments: segmentsOf(feature, lookups) };
}

/** An edge can follow that many changes of a flag without its upstream. */
const MAX_PLANNED = 20;
/** The bound of what is planned for one flag. */
const MAX_PLANNED_BYTES = 256 * 1024;

function plan(flag: FeatureFlag, flagContext: FlagContext, environment: string): readonly PlannedFeature[] {
  const { at: now, segments, everyEnvironment } = flagContext;
  if (now === undefined) return [];
  const moments = momentsOf(flag, timesIn(everyEnvironment)).filter((one) => one.environment === environment);
  const times = [...new Set(moments.map(({ at }) => at))].filter((at) => at > now).slice(0, MAX_PLANNED);
  const present = undisputedEffect(flag, flagContext);
  const planned: PlannedFeature[] = [];
  let bytes = 0;
  for (const at of times) {
    const feature = presentClientFeature({ flag, effect: effectAt(flag, present, at), segments }, environment);
    bytes += JSON.stringify(feature).length;
    if (bytes > MAX_PLANNED_BYTES) break;
    planned.push({ at, feature });
  }
  return planned;
}
