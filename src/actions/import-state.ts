/** Imports a state document: plans all writes, dry-runs them on the API server, then writes. */

import { setImmediate } from 'node:timers/promises';
import { environmentNotFound } from '../catalog/find.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { type ImportContext, planState, type StatePlan } from '../domain/state/plan.ts';
import type { ImportMode } from '../domain/state/planned-change.ts';
import type { WantedState } from '../domain/state/wanted.ts';
import { type AskedFor, refusalOfRemoval } from '../domain/usage/removal.ts';
import type { ErrorDetail } from '../errors.ts';
import { invalid, MAX_DETAILS } from '../model/invalid-input.ts';
import { turnsOfRequest } from '../runtime/turns.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { defaultEnvironment } from './export-state.ts';
import { detailsOf, type RefusedWrite, throwTogether } from './import-state-refusals.ts';
import { execute, type ImportProgress, simulate } from './import-state-run.ts';
import { type ImportStage, stagesOf } from './import-state-writes.ts';
import type { Services } from './services.ts';

export interface ImportRequest {
  readonly mode: ImportMode;
  /** The environment of the properties within a flag of the document; undefined: see `defaultEnvironment`. */
  readonly environment: string | undefined;
  readonly dryRun: boolean;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** Returns the flags among these that production still asks for. */
  readonly askedForAmong: (flags: readonly FeatureFlag[]) => Promise<readonly AskedFor[]>;
  /**
   * Reads the document; throws all its errors. `chooseEnvironment` gets the names of the environments in the document.
   */
  readonly read: (chooseEnvironment: (inDocument: readonly string[]) => string | undefined) => Promise<WantedState>;
}

export interface Imported {
  readonly plan: StatePlan;
  /** The conflicts that a dry run found. */
  readonly conflicts: readonly ErrorDetail[];
  /** The flags that the import removes, and that production still asks for. */
  readonly asked: readonly AskedFor[];
}

export async function importState(services: Services, request: ImportRequest): Promise<Imported> {
  const { dryRun, onProgress = () => undefined } = request;
  const { logger, now, ending } = services;
  const parts = { logger, now, ending, onProgress };
  const { force, notes } = services;
  const plan = await planOf(services, request);
  const asked = await request.askedForAmong([...plan.flags.deleted, ...plan.flags.archived]);
  notes.noteAsked(asked);
  const refusal = force.isForced ? undefined : refusalOfRemoval(asked);
  const planConflicts = [...plan.conflicts, ...(refusal ? [refusal] : [])].map(
    (error): RefusedWrite => ({ write: undefined, error }),
  );
  if (!dryRun) throwTogether(planConflicts);
  const stages = stagesOf(services, plan);
  const refused = await simulate(stages, parts, { untilEnd: dryRun });
  const conflicts = [...planConflicts, ...refused];
  if (dryRun) return { plan, conflicts: conflictsIn(conflicts), asked };
  throwTogether(conflicts);
  await execute(stages, parts);
  report(services, plan, stages);
  return { plan, conflicts: [], asked };
}

/** Yields to the event loop between the steps, which take long with many flags. */
async function planOf(services: Services, { mode, environment, read }: ImportRequest): Promise<StatePlan> {
  const { catalog } = services;
  const present = catalog.environments().map(wireNameOf);
  const chooseEnvironment = (inDocument: readonly string[]) => {
    const all = [...present, ...inDocument];
    if (environment === undefined) return defaultEnvironment(all);
    if (all.includes(environment)) return environment;
    const message = environmentNotFound(environment);
    throw invalid([{ part: 'query', keys: ['environment'], message }]);
  };
  await setImmediate();
  const wanted = await read(chooseEnvironment);
  await setImmediate();
  const plan = await runYielding(planState(wanted, contextOf(services), mode));
  const complaints = plan.complaints.slice(0, MAX_DETAILS);
  if (complaints.length > 0)
    throw invalid(complaints.map(({ at, ...one }) => ({ part: 'document', keys: at, ...one })));
  return plan;
}

/** Shares the turns of the event loop with requests. */
async function runYielding<T>(steps: Generator<void, T>): Promise<T> {
  const turn = turnsOfRequest();
  let step = steps.next();
  while (!step.done) {
    const wait = turn();
    if (wait !== undefined) await wait;
    step = steps.next();
  }
  return step.value;
}

function contextOf({ catalog, home }: Services): ImportContext {
  return {
    environment: catalog.environment,
    project: catalog.project,
    flag: catalog.flag,
    strategyDefinition: catalog.strategyDefinition,
    strategyTypes: catalog.strategyTypes(),
    flags: catalog.projects().flatMap((project) => catalog.view(wireNameOf(project))?.flags ?? []),
    flagsOfStrategyType: catalog.flagsOfStrategyType,
    segmentNamed: catalog.segmentNamed,
    segments: catalog.segments(),
    flagsOfSegment: catalog.flagsOfSegment,
    home,
  };
}

/** A dry run throws errors of the request, and returns conflicts with the state of the cluster. */
function conflictsIn(refusals: readonly RefusedWrite[]): readonly ErrorDetail[] {
  throwTogether(refusals.filter(({ error }) => ['invalid', 'pattern-mismatch', 'forbidden'].includes(error.code)));
  return refusals.flatMap(detailsOf);
}

function report(
  { logger }: Services,
  { flags, strategyTypes, segments }: StatePlan,
  stages: readonly ImportStage[],
): void {
  const facts = {
    writes: stages.flat().length,
    created: flags.created.length,
    changed: flags.changed.length,
    deleted: flags.deleted.length,
    strategyTypes: strategyTypes.created.length + strategyTypes.changed.length + strategyTypes.deleted.length,
    segments: segments.created.length + segments.changed.length + segments.deleted.length,
  };
  logger.info(facts, 'state import: completed');
}
