/** Keeps an environment's status true to its spec and to how much it is used. */
import type { Catalog } from '../catalog/catalog.ts';
import { atRest, type CloneReport } from '../domain/clone-progress.ts';
import { judgeEnvironment } from '../domain/judge-environment.ts';
import { wireNameOf } from '../domain/names.ts';
import { done, type Outcome } from '../runtime/outcome.ts';
import type { Environment, EnvironmentSpec, EnvironmentStatus } from '../schema/environment.ts';
import type { Ref } from '../schema/object.ts';
import { type Judged, report } from './status.ts';

interface Parts {
  readonly environments: Judged<EnvironmentSpec, EnvironmentStatus>;
  readonly catalog: Catalog;
  /** A step of the clone that an environment asks for. */
  readonly cloneStep: (environment: Environment) => Promise<CloneReport>;
  /** Ms since 1970. */
  readonly now: () => number;
}

const NO_USE = { projects: 0, apiTokens: 0, enabledFlags: 0 };

export function environmentReconciler({ environments, catalog, cloneStep, now }: Parts) {
  return async function reconcile(ref: Ref): Promise<Outcome> {
    const environment = environments.get(ref);
    if (!environment || environment.metadata.deletionTimestamp) return done;

    const rival = catalog.environmentRival(environment);
    const clone = rival ? atRest(environment.status?.clone) : await cloneStep(environment);
    const use = rival ? NO_USE : catalog.useOf(wireNameOf(environment));
    return report(environments, environment, judgeEnvironment({ environment, rival, use, clone }, now()));
  };
}
