/** Evaluations for a context that a person asks about, in the shapes of Unleash's playground. */
import { z } from 'zod';
import { projectIdOf } from '../../domain/flag/flag-values.ts';
import { strategyIdOf } from '../../domain/flag/strategy-id.ts';
import { flagPage } from '../../domain/identity/console-pages.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { isForApplications } from '../../evaluation/strategy-types.ts';
import type { ConstraintResult, StrategyResult } from '../../evaluation/why.ts';
import { presentAdminConstraints } from '../admin/constraint.ts';
import { clientConstraint, clientFeature } from '../client/shapes.ts';
import { frontendToggle, presentToggle } from '../client/toggle.ts';
import { appliedStrategy } from './deciding-fields.ts';
import type { ExplainedFlag, ExplainedStrategy } from './explained-flag.ts';
import { presentWhy, type Shown, wireWhy } from './why.ts';
import type { ReadsSegment } from './why-words.ts';

const wireResult = z.boolean().meta({ description: 'Whether it holds for the context.' });
const wireVariant = frontendToggle.shape.variant;

const wireConstraint = clientConstraint.extend({ result: wireResult });

const wireSegment = z.object({
  id: z.int(),
  name: z.string(),
  result: wireResult,
  constraints: z.array(wireConstraint).meta({ description: 'Empty if the caller may not read the segment.' }),
});

const wireOutcome = z.object({
  evaluationStatus: z.enum(['complete', 'incomplete', 'unevaluated']).meta({
    description:
      'incomplete: only the application can decide, as with strategy types of your own. unevaluated: the strategy is disabled.',
  }),
  enabled: z.union([z.boolean(), z.literal('unknown')]),
  variant: wireVariant.nullable().optional(),
  variants: clientFeature.shape.strategies.element.shape.variants.optional(),
});

const wireStrategy = z
  .object({
    name: z.string().meta({ description: 'The type.' }),
    id: z.uuid(),
    title: z.string().nullable(),
    disabled: z.boolean(),
    parameters: z.record(z.string(), z.unknown()).meta({ description: 'The parameters as SDKs get them, as text.' }),
    result: wireOutcome,
    constraints: z.array(wireConstraint),
    segments: z.array(wireSegment),
    links: z.object({ edit: z.string().meta({ description: 'The path of the page in Unleash.' }) }),
  })
  .meta({ id: 'PlaygroundStrategy' });

const wireEvaluated = z.object({
  name: z.string(),
  projectId: z.string(),
  isEnabled: z.boolean().meta({ description: 'Whether the flag is on for the context.' }),
  isEnabledInCurrentEnvironment: z.boolean().meta({ description: 'Whether the flag is in effect.' }),
  hasUnsatisfiedDependency: z.boolean().meta({ description: 'False where the flag is off in any case.' }),
  variant: wireVariant,
  variants: clientFeature.shape.variants,
  strategies: z.object({
    result: z.union([z.boolean(), z.literal('unknown')]),
    data: z.array(wireStrategy),
  }),
  why: wireWhy,
});

export const wirePlaygroundFeature = wireEvaluated.meta({
  id: 'PlaygroundFeature',
  description: 'A flag as it is for one context.',
});

export const wireAdvancedFeature = z
  .object({
    name: z.string(),
    projectId: z.string(),
    environments: z.record(
      z.string(),
      z.array(
        wireEvaluated
          .extend({ environment: z.string(), context: z.record(z.string(), z.unknown()) })
          .meta({ id: 'AdvancedPlaygroundEnvironmentFeature' }),
      ),
    ),
  })
  .meta({ id: 'AdvancedPlaygroundFeature', description: 'A flag as it is for each environment and context.' });

export const wireEvaluation = z
  .object({
    project: z.string(),
    feature: z.string(),
    environment: z.string(),
    enabled: z.boolean().meta({ description: 'Whether the flag is on for the context.' }),
    variant: wireVariant,
    context: z.record(z.string(), z.unknown()).meta({ description: 'The context of the request.' }),
    why: wireWhy,
  })
  .meta({ id: 'Evaluation', description: 'A flag as it is for one context, and why.' });
export type WireEvaluation = z.infer<typeof wireEvaluation>;

export function presentPlaygroundFeature(explained: ExplainedFlag, shown: Shown) {
  const { flag, feature, explanation, strategies, environment } = explained;
  const place = { flag: wireNameOf(flag), project: projectIdOf(flag), environment };
  const data = strategies.map((one) => presentStrategy(place, one, { ...shown, explained }));
  return {
    name: place.flag,
    projectId: place.project,
    isEnabled: explanation.enabled,
    isEnabledInCurrentEnvironment: feature.enabled,
    hasUnsatisfiedDependency: explanation.decision === 'dependency',
    variant: presentToggle(feature, explanation).variant,
    variants: feature.variants,
    strategies: { result: resultOfAll(data.map(({ result }) => result)), data },
    why: presentWhy(explained, shown),
  };
}

export function presentEvaluation(
  explained: ExplainedFlag,
  context: Readonly<Record<string, unknown>>,
  shown: Shown,
): WireEvaluation {
  const { flag, feature, explanation, environment } = explained;
  return {
    project: projectIdOf(flag),
    feature: wireNameOf(flag),
    environment,
    enabled: explanation.enabled,
    variant: presentToggle(feature, explanation).variant,
    context,
    why: presentWhy(explained, shown),
  };
}

type OutcomeStatus = Pick<z.infer<typeof wireOutcome>, 'evaluationStatus' | 'enabled'>;

function resultOfAll(results: readonly OutcomeStatus[]): OutcomeStatus['enabled'] {
  if (results.some(({ enabled }) => enabled === true)) return true;
  return results.some(({ evaluationStatus }) => evaluationStatus === 'incomplete') && 'unknown';
}

interface PlaygroundPlace {
  readonly flag: string;
  readonly project: string;
  readonly environment: string;
}

interface Within extends Shown {
  readonly explained: ExplainedFlag;
}

function presentStrategy(place: PlaygroundPlace, one: ExplainedStrategy, { explained, readsSegment }: Within) {
  const { key, strategy, served, result } = one;
  const id = strategyIdOf({ ...place, key });
  const isApplied = appliedStrategy(explained) === one;
  const path = `${flagPage(place)}/strategies/edit`;
  return {
    name: strategy.name,
    id,
    title: strategy.title ?? null,
    disabled: strategy.disabled ?? false,
    parameters: served?.parameters ?? strategy.parameters ?? {},
    result: {
      ...outcomeOf(one),
      ...(isApplied && { variant: presentToggle(explained.feature, explained.explanation).variant }),
      ...(result?.holds && { variants: served?.variants ?? [] }),
    },
    constraints: result ? constraintsOf(result, undefined) : withoutResults(strategy.constraints),
    segments: result ? segmentsOf(one, result, readsSegment) : [],
    links: { edit: `${path}?${new URLSearchParams({ environmentId: place.environment, strategyId: id })}` },
  };
}

function outcomeOf({ strategy, result }: ExplainedStrategy): OutcomeStatus {
  if (strategy.disabled) return { evaluationStatus: 'unevaluated', enabled: 'unknown' };
  const isOpen = isForApplications(strategy.name) && result?.constraints.every(({ holds }) => holds);
  if (isOpen) return { evaluationStatus: 'incomplete', enabled: 'unknown' };
  return { evaluationStatus: 'complete', enabled: result?.holds ?? false };
}

function constraintsOf({ constraints }: StrategyResult, segment: number | undefined) {
  return constraints.filter((one) => one.segment?.id === segment).map(presentConstraintResult);
}

function presentConstraintResult({ constraint, holds }: ConstraintResult) {
  return { ...constraint, result: holds };
}

/** The constraints of a strategy that SDKs do not get have no results. */
function withoutResults(constraints: ExplainedStrategy['strategy']['constraints']) {
  const base = { inverted: false, caseInsensitive: false };
  return presentAdminConstraints(constraints).map((one) => ({ ...base, ...one, result: false }));
}

/** The names and the ids of segments are in the same order. */
function segmentsOf({ strategy, served }: ExplainedStrategy, result: StrategyResult, readsSegment: ReadsSegment) {
  return (served?.segments ?? []).map((id, index) => {
    const constraints = constraintsOf(result, id);
    return {
      id,
      name: strategy.segments?.[index] ?? '',
      result: constraints.every((one) => one.result),
      constraints: readsSegment(id) ? constraints : [],
    };
  });
}
