/** Evaluates the flags of manifests for a context, with the evaluator of the operator. */
import { createCatalogOrigin } from '../../src/delivery/catalog-origin.ts';
import { createEvaluations } from '../../src/delivery/evaluations.ts';
import { createExplanations } from '../../src/delivery/explanations.ts';
import { isArchived } from '../../src/domain/flag/flag-values.ts';
import { compareText, wireNameOf } from '../../src/domain/identity/names.ts';
import { nearest } from '../../src/model/edit-distance.ts';
import type { ExplainedFlag } from '../../src/wire/playground/explained-flag.ts';
import { InputError } from '../failure.ts';
import type { OfflineCluster } from '../lint/offline-cluster.ts';

export interface Question {
  readonly flag: string;
  readonly environment: string;
  readonly context: Readonly<Record<string, unknown>>;
  /** The time for windows, ramps and a context that has no time, in ms since 1970. */
  readonly at: number;
}

export interface Evaluator {
  /** The names of flags that are not archived, sorted. */
  readonly flags: readonly string[];
  /** Returns the environments of the flag's project, in their order. */
  readonly environmentsOf: (flag: string) => readonly string[];
  /** Throws an InputError for a flag or an environment that the manifests do not have. */
  readonly evaluate: (question: Question) => ExplainedFlag;
}

/** `random` returns a number from 0 (included) to 1 (excluded). */
export function createEvaluator({ stores, catalog }: OfflineCluster, random: () => number): Evaluator {
  const evaluations = createEvaluations(createCatalogOrigin(catalog), random);
  const flags = [...stores.flags.all()]
    .filter((flag) => !isArchived(flag))
    .map(wireNameOf)
    .sort(compareText);
  const environments = catalog.environments().map(wireNameOf);
  const find = (name: string) => {
    const flag = flags.includes(name) ? catalog.flag(name) : undefined;
    if (!flag) throw unknown('flag', name, flags);
    if (!catalog.flagContextOf(flag).project)
      throw new InputError(`the project of the flag "${name}" is not in the files: add its file with -f`);
    return flag;
  };
  return {
    flags,
    environmentsOf: (name) => catalog.flagContextOf(find(name)).environments.map(wireNameOf),
    evaluate({ flag, environment, context, at }) {
      find(flag);
      if (!environments.includes(environment)) throw unknown('environment', environment, environments);
      const scope = { environment, projects: undefined };
      const explained = createExplanations({ catalog, evaluations }, at)(flag, scope, context);
      if (!explained) throw unknown('flag', flag, flags);
      return explained;
    },
  };
}

function unknown(what: string, name: string, known: readonly string[]): InputError {
  const near = nearest(name, known);
  return new InputError(
    `there is no ${what} "${name}" in the files${near === undefined ? '' : `, the nearest is "${near}"`}`,
  );
}
