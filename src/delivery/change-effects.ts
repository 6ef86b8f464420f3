/** What a flag gives to users before and after a change that is asked for. */
import type { Catalog } from '../catalog/catalog.ts';
import { environmentsNamed, flagAfter, segmentAfter } from '../domain/approval/target.ts';
import { dependenciesOf } from '../domain/flag/dependencies.ts';
import { isArchived, projectIdOf } from '../domain/flag/flag-values.ts';
import { momentsOf, timesIn } from '../domain/flag/moments.ts';
import { environmentsUsing } from '../domain/flag/segments-of-flag.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { type SegmentLookup, usableSegment } from '../domain/segment/segment-values.ts';
import { Refusal } from '../errors.ts';
import type { FlagDocument } from '../evaluation/client-document.ts';
import { createCoverage } from '../evaluation/contexts/coverage.ts';
import { createGroups, type DifferingGroup, withFieldsThatMatter } from '../evaluation/contexts/differing-groups.ts';
import { type DocumentFlags, documentFlags } from '../evaluation/contexts/document-flags.ts';
import { fieldValues } from '../evaluation/contexts/field-values.ts';
import { eachContext } from '../evaluation/contexts/make-contexts.ts';
import { seededRandom } from '../model/seeded-random.ts';
import { boundedTurns, collectInTurns, inTurn, type Turn } from '../runtime/turns.ts';
import type { ChangeRequest } from '../schema/change-request.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Segment } from '../schema/segment.ts';
import { type FlagInEffect, presentClientFeature } from '../wire/client/feature.ts';
import { segmentsOf, uniqueSegments } from '../wire/client/segment.ts';
import type { EnvironmentEffects, ExplainedGroup, FlagEffects } from '../wire/playground/change-effects.ts';
import { explainFlag } from '../wire/playground/explained-flag.ts';
import { MAX_EVALUATIONS } from '../wire/playground/playground-input.ts';
import type { ReadsSegment } from '../wire/playground/why-words.ts';
import { inEffectAt } from './evaluations-at.ts';
import { compileServed } from './flags-in-environment.ts';

/** The flag as it is, and as it would be. */
export interface AskedChange {
  readonly before: FeatureFlag;
  readonly after: FeatureFlag;
  readonly environments: readonly string[];
  /** A segment of the flag as it would be. Absent: no segment changes. */
  readonly segment?: ChangedSegment;
}

interface ChangedSegment {
  readonly name: string;
  readonly found: SegmentLookup;
}

export function askedChange(flag: FeatureFlag, request: ChangeRequest): AskedChange {
  const environments = environmentsNamed(request.spec);
  const defects = flag.defects.filter(({ path: [first, second] }) =>
    first === 'environments' ? !environments.includes(`${second}`) : !SHARED.includes(`${first}`),
  );
  return { before: flag, after: { ...flag, defects, spec: flagAfter(flag.spec, request) }, environments };
}

/** The change of a flag that uses the segment, without a change of the flag itself. */
export function askedSegmentChange(flag: FeatureFlag, segment: Segment, request: ChangeRequest): AskedChange {
  const name = wireNameOf(segment);
  const defects = segment.defects.filter(({ path: [first] }) => first !== 'constraints');
  const found = usableSegment({ ...segment, defects, spec: segmentAfter(segment.spec, request) });
  return { before: flag, after: flag, environments: environmentsUsing([flag], name), segment: { name, found } };
}

/** The fields that a request replaces for all environments. */
const SHARED: readonly string[] = ['archived', 'variants', 'dependencies'];

/** When the change would be made, if it were approved now; in ms since 1970. Undefined: now. */
export function timeOfRequest({ spec }: Pick<ChangeRequest, 'spec'>, now: number): number | undefined {
  const applyAt = spec.applyAt === undefined ? now : Date.parse(spec.applyAt);
  return applyAt > now ? applyAt : undefined;
}

export interface EffectParts {
  readonly catalog: Pick<Catalog, 'flag' | 'flagContextOf' | 'flagInProjectOf' | 'childrenOf'>;
  /** The time for windows, ramps and contexts without a time, in ms since 1970. */
  readonly at: number;
  /** Contexts have no values of segments that the caller may not read. */
  readonly readsSegment: ReadsSegment;
  /** Whether the caller may read all flags of the project. Otherwise contexts have no values of the parents. */
  readonly readsFlagsOf: (project: string) => boolean;
  readonly turn: Turn;
}

const MAX_GROUPS = 10;
const MAX_CONTEXTS = 400;
/** The part of the evaluations for attempts to reach a branch. */
const FOR_ATTEMPTS = 0.5;

/** A flag of the greatest cost takes 50 ms for each evaluation. */
const MAX_EFFECTS_MS = 10_000;

/**
 * The work has the bound of the playground for all flags and environments together, and leaves turns to other requests.
 * Rejects with Refusal `busy` if it takes too long.
 */
export async function effectsOfChanges(
  changes: readonly AskedChange[],
  parts: EffectParts,
): Promise<readonly FlagEffects[]> {
  const places = changes.reduce((sum, { environments }) => sum + environments.length, 0);
  const budget = MAX_EVALUATIONS / Math.max(1, places);
  const turn = boundedTurns(parts.turn, { maxMs: MAX_EFFECTS_MS, tooLong });
  const all: FlagEffects[] = [];
  for (const change of changes) {
    const effects: EnvironmentEffects[] = [];
    for (const environment of change.environments)
      effects.push(await effectsIn(environment, { change, parts, budget, turn }));
    all.push({ flag: change.before, effects });
  }
  return all;
}

function tooLong(): Refusal {
  const message = `the evaluations before and after the change take longer than ${MAX_EFFECTS_MS / 1000} s: look for many patterns or long lists in the flag or segment`;
  return new Refusal('busy', message, { retryAfterSeconds: 10 });
}

interface Comparing {
  readonly change: AskedChange;
  readonly parts: EffectParts;
  /** How many evaluations may be made. */
  readonly budget: number;
  readonly turn: Turn;
}

async function effectsIn(environment: string, { change, parts, budget, turn }: Comparing): Promise<EnvironmentEffects> {
  const before = sideOf(change.before, parts);
  const after = await inTurn(turn, () => sideOf(change.after, partsAfter(change, parts)));
  const compared = { flag: wireNameOf(change.before), before: before.flags, after: after.flags };
  const coverage = createCoverage([before.flags, after.flags]);
  const perContext = before.flags.names.length + after.flags.names.length + 2;
  const making = {
    coverage,
    values: fieldValues([before, after].map((side) => readableOf(side, environment, parts))),
    count: Math.min(MAX_CONTEXTS, Math.floor((budget * (1 - FOR_ATTEMPTS)) / perContext)),
    attempts: budget * FOR_ATTEMPTS,
    random: seededRandom(1),
  };
  const groups = createGroups(compared);
  const contexts = (await collectInTurns(eachContext(making), turn)).filter((context) => context !== undefined);
  await collectInTurns(contexts.values().map(groups.take), turn);
  const shown = groups.all().slice(0, MAX_GROUPS).values();
  const explained = shown.map((group) => explain(withFieldsThatMatter(group, compared)));
  return {
    environment,
    before: before.inEffect,
    after: after.inEffect,
    contexts: contexts.length,
    same: groups.same(),
    groups: await collectInTurns(explained, turn),
    moreGroups: Math.max(0, groups.all().length - MAX_GROUPS),
    notReached: coverage.missing().length,
  };

  function sideOf(flag: FeatureFlag, known: EffectParts): Side {
    const inEffect = inEffectOf(flag, known);
    const parents = parentsOf(change, known).map((parent) => documentOf(inEffectOf(parent, known), environment));
    const document = joined([documentOf(inEffect, environment), ...parents]);
    return { inEffect, document, flags: documentFlags(document, environment, parts.at) };
  }

  function explain(group: DifferingGroup): ExplainedGroup {
    const [context = {}] = group.contexts;
    const explainedBy = ({ inEffect, flags }: Side) => {
      const { features, segments } = documentOf(inEffect, environment);
      const [feature] = features;
      const compiled = compileServed(feature, segments);
      return explainFlag(inEffect, { environment, compiled, situation: flags.situation(context) });
    };
    return { ...group, explained: { before: explainedBy(before), after: explainedBy(after) } };
  }
}

interface Side {
  readonly inEffect: FlagInEffect;
  readonly document: FlagDocument;
  readonly flags: DocumentFlags;
}

/** With the changed segment in the place of the present one. */
function partsAfter({ segment }: AskedChange, parts: EffectParts): EffectParts {
  if (!segment) return parts;
  const { catalog } = parts;
  const flagContextOf: Catalog['flagContextOf'] = (flag) => {
    const { segments, ...around } = catalog.flagContextOf(flag);
    const { name, found } = segment;
    return { ...around, segments: segments?.has(name) ? new Map(segments).set(name, found) : segments };
  };
  return { ...parts, catalog: { ...catalog, flagContextOf } };
}

/** A flag that does not own its name is off everywhere. */
function inEffectOf(flag: FeatureFlag, { catalog, at }: EffectParts): FlagInEffect {
  const found = inEffectAt(catalog, flag, at);
  const owner = catalog.flag(wireNameOf(flag));
  if (owner?.metadata.uid === flag.metadata.uid) return found;
  return { ...found, effect: { ...found.effect, enabledIn: new Set() } };
}

function parentsOf({ before, after }: AskedChange, { catalog }: EffectParts): readonly FeatureFlag[] {
  const names = new Set([before, after].flatMap((flag) => dependenciesOf(flag).map(({ feature }) => feature)));
  names.delete(wireNameOf(before));
  const found = [...names].flatMap((name) => catalog.flagInProjectOf(before, name) ?? []);
  return found.filter((parent) => !isArchived(parent));
}

function documentOf(inEffect: FlagInEffect, environment: string) {
  const feature = presentClientFeature(inEffect, environment);
  return { features: [feature] as const, segments: segmentsOf(feature, inEffect.segments) };
}

function joined(documents: readonly FlagDocument[]): FlagDocument {
  return {
    features: documents.flatMap(({ features }) => features),
    segments: uniqueSegments(documents.flatMap(({ segments }) => segments)),
  };
}

function readableOf({ document, inEffect }: Side, environment: string, parts: EffectParts): FlagDocument {
  const readsParents = parts.readsFlagsOf(projectIdOf(inEffect.flag));
  const { features, segments } = readsParents ? document : documentOf(inEffect, environment);
  return { features, segments: segments.filter(({ id }) => parts.readsSegment(id)) };
}

const MAX_TIMES = 20;

/**
 * The next times after `from` at which windows and ramps change what is in effect of the flag, before or after the
 * change; in ms since 1970.
 */
export function timesOfChange(
  { before, after, environments }: AskedChange,
  { catalog, from }: Pick<EffectParts, 'catalog'> & { readonly from: number },
): readonly number[] {
  const moments = [before, after].flatMap((flag) =>
    momentsOf(flag, timesIn(catalog.flagContextOf(flag).everyEnvironment)),
  );
  const times = moments
    .filter(({ at, hasEffect, environment }) => hasEffect && at > from && environments.includes(environment))
    .map(({ at }) => at);
  return [...new Set(times)].sort((one, other) => one - other).slice(0, MAX_TIMES);
}

/** The names of the flags that depend on the flag, and so may change with it; unordered. */
export function dependentsOf({ before }: AskedChange, catalog: EffectParts['catalog']): readonly string[] {
  return catalog
    .childrenOf(before)
    .filter((child) => !isArchived(child))
    .map(wireNameOf);
}
