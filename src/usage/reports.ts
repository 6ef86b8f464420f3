/** Counts the flags in a report of an SDK that its token may read. */

import type { Catalog } from '../catalog/catalog.ts';
import { environmentOf, isArchived, projectIdOf, strategiesOf, variantsIn } from '../domain/flag/flag-values.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { ReportedSdk } from './applications.ts';
import { countedAt, OTHER } from './counters.ts';
import type { Usage } from './store.ts';
import type { EdgeName, EvaluationCounts } from './usage.ts';

/** The scope of the token of a report. */
export interface ReportScope {
  readonly environment: string;
  /** Ids; undefined: all projects. */
  readonly projects: readonly string[] | undefined;
}

export interface ReportedEvaluations extends EvaluationCounts {
  /** The name of the flag. */
  readonly name: string;
  readonly appName: string;
  readonly variants: ReadonlyMap<string, number>;
  /** The time that decides the hour, in ms since 1970; undefined: the time of arrival. */
  readonly at: number | undefined;
  /** The edge that the application reported to; absent: none. */
  readonly via?: EdgeName | undefined;
}

export interface Reports {
  /** Called when an SDK with a token of this scope reported. */
  readonly sdk: (scope: ReportScope, sdk: Omit<ReportedSdk, 'environment'>) => void;
  readonly evaluations: (scope: ReportScope, evaluations: Iterable<ReportedEvaluations>) => void;
}

export interface ReportsParts {
  readonly catalog: Pick<Catalog, 'flag'>;
  readonly usage: Pick<Usage, 'count' | 'addSdk' | 'addName'>;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly onCounted?: ((name: string, environment: string, evaluations: EvaluationCounts) => void) | undefined;
}

export function createReports({ catalog, usage, now, onCounted }: ReportsParts): Reports {
  function count({ environment, projects }: ReportScope, reported: ReportedEvaluations): void {
    const { name, appName, yes, no, variants, via } = reported;
    const flag = catalog.flag(name);
    if (flag === undefined || isArchived(flag)) {
      usage.addName({ name, environment, appName, archivedUid: flag?.metadata.uid ?? '' });
      return;
    }
    if (!isIn(projects, flag) || yes + no === 0) return;
    const arrivedAt = now();
    const { uid: flagUid } = flag.metadata;
    const at = countedAt(reported.at, arrivedAt);
    usage.count({
      flagUid,
      environment,
      appName,
      yes,
      no,
      variants: known(variants, flag, environment),
      at,
      arrivedAt,
      via,
    });
    onCounted?.(name, environment, reported);
  }
  return {
    sdk: ({ environment }, sdk) => usage.addSdk({ ...sdk, environment }),
    evaluations(scope, evaluations) {
      for (const one of evaluations) count(scope, one);
    },
  };
}

function isIn(projects: ReportScope['projects'], flag: FeatureFlag): boolean {
  return projects === undefined || projects.includes(projectIdOf(flag));
}

/** The variant that SDKs report if a flag is off or has no variant. */
const NO_VARIANT = 'disabled';

/** Names that the flag does not have are counted together: anyone may send any number of them. */
function known(variants: ReadonlyMap<string, number>, flag: FeatureFlag, environment: string) {
  if (variants.size === 0) return variants;
  const ofStrategies = strategiesOf(environmentOf(flag.spec, environment)).flatMap(
    ({ strategy }) => strategy.variants ?? [],
  );
  const names = new Set([NO_VARIANT, ...[...variantsIn(flag, environment), ...ofStrategies].map(({ name }) => name)]);
  const sums = new Map<string, number>();
  for (const [variant, evaluations] of variants) {
    const name = names.has(variant) ? variant : OTHER;
    sums.set(name, (sums.get(name) ?? 0) + evaluations);
  }
  return sums;
}
