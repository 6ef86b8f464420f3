/** Imports a state document: planned in full, tried out on the API server without effect, and only then written. */
import { setImmediate } from 'node:timers/promises';
import { wireNameOf } from '../domain/names.ts';
import { planState, type StateGround, type StatePlan } from '../domain/state-plan.ts';
import type { ErrorDetail } from '../errors.ts';
import { usualEnvironment } from './export-state.ts';
import { detailsOf, type Refusal, refusalsTogether } from './import-state-refusals.ts';
import { carryOut, tryOut } from './import-state-run.ts';
import { type Stage, stagesOf } from './import-state-writes.ts';
import type { Input, Services } from './route.ts';
import { Pieces } from './send-pieces.ts';
import { invalid } from './validation.ts';
import { createComplaints } from './wire/state-complaints.ts';
import type { StateDocument } from './wire/state-input.ts';
import { presentStatePlan } from './wire/state-plan.ts';
import type { ImportQuery } from './wire/state-query.ts';
import { readState } from './wire/state-reading.ts';

type ImportInput = Input<unknown, ImportQuery, StateDocument>;

export async function importState(services: Services, { query, body, dryRun }: ImportInput) {
  const plan = await planOf(services, query, body);
  const inTheWay = plan.conflicts.map((error): Refusal => ({ write: undefined, error }));
  if (!dryRun && inTheWay.length > 0) throw refusalsTogether(inTheWay);
  const stages = stagesOf(services, plan);
  const refused = await tryOut(stages, { ...services, untilEnd: dryRun });
  const conflicts = [...inTheWay, ...refused];
  if (dryRun) return presentStatePlan(plan, conflictsIn(conflicts));
  if (conflicts.length > 0) throw refusalsTogether(conflicts);
  await carryOut(stages, services);
  tell(services, plan, stages);
  return new Pieces({ type: 'text/plain; charset=utf-8', read: accepted });
}

/** As real servers answer (facts §6). */
async function* accepted() {
  yield 'Accepted';
}

/** Others are served between the steps, each of which takes its time with many flags. */
async function planOf(services: Services, query: ImportQuery, document: StateDocument): Promise<StatePlan> {
  const { catalog } = services;
  const present = catalog.environments().map(wireNameOf);
  const chooseEnvironment = (brought: readonly string[]) => {
    const all = [...present, ...brought];
    if (query.environment === undefined) return usualEnvironment(all);
    if (all.includes(query.environment)) return query.environment;
    const message = `There is no environment with the name "${query.environment}", and the document has none.`;
    throw invalid([{ path: '/query/environment', message }]);
  };
  await setImmediate();
  const wanted = await readState(document, { chooseEnvironment });
  await setImmediate();
  const plan = await betweenOthers(planState(wanted, groundOf(services), query));
  const complaints = createComplaints();
  for (const { at, complaint } of plan.complaints) complaints.add(at, complaint);
  complaints.refuse();
  return plan;
}

/** Others are served between two steps. */
async function betweenOthers<T>(steps: Generator<void, T>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    await setImmediate();
    step = steps.next();
  }
  return step.value;
}

function groundOf({ catalog, home }: Services): StateGround {
  return {
    environment: catalog.environment,
    project: catalog.project,
    flag: catalog.flag,
    strategyDefinition: catalog.strategyDefinition,
    strategyTypes: catalog.strategyTypes(),
    flags: catalog.projects().flatMap((project) => catalog.view(wireNameOf(project))?.flags ?? []),
    flagsOfStrategyType: catalog.flagsOfStrategyType,
    home,
  };
}

/** Of a dry run, what is wrong with the request is refused, and what is in its way is told. */
function conflictsIn(refusals: readonly Refusal[]): readonly ErrorDetail[] {
  const wrong = refusals.filter(({ error }) => ['invalid', 'pattern-mismatch', 'forbidden'].includes(error.code));
  if (wrong.length > 0) throw refusalsTogether(wrong);
  return refusals.flatMap(detailsOf);
}

function tell({ logger }: Services, { flags, strategyTypes }: StatePlan, stages: readonly Stage[]): void {
  const facts = {
    writes: stages.flat().length,
    created: flags.created.length,
    changed: flags.changed.length,
    deleted: flags.deleted.length,
    strategyTypes: strategyTypes.created.length + strategyTypes.changed.length + strategyTypes.deleted.length,
  };
  logger.info(facts, 'a state document was imported');
}
