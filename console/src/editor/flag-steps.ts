/** Writes of a flag, as steps of a plan. */
import type { Schemas } from '../api.generated.ts';
import { api } from '../api.ts';
import type { EnvironmentPlace, FeaturePlace, RestorePlace } from '../feature/place.ts';
import { PATHS } from './flag-paths.ts';
import { type Sending, type Step, sent, stepAnswer } from './review/plan.ts';

/** The query and the rest of a request below the path of a place. */
function request<P extends object>(path: P, sending: Sending) {
  const { query, with: options } = sent(sending);
  return { params: { path, query }, ...options };
}

export function fieldsStep(place: FeaturePlace, body: Schemas['UpdateFeature'], title: string): Step {
  return { title, send: (how) => stepAnswer(api.PUT(PATHS.flag, { ...request(place, how), body })) };
}

export function tagsStep({ featureName }: FeaturePlace, body: Schemas['ChangeTags'], title: string): Step {
  return { title, send: (how) => stepAnswer(api.PUT(PATHS.tags, { ...request({ featureName }, how), body })) };
}

export function dependencyStep(place: FeaturePlace, body: Schemas['AddDependency'], title: string): Step {
  return { title, send: (how) => stepAnswer(api.POST(PATHS.dependencies, { ...request(place, how), body })) };
}

export function dependencyRemoval(place: FeaturePlace, parent: string): Step {
  return {
    title: `Remove the dependency on ${parent}`,
    send: (how) => stepAnswer(api.DELETE(PATHS.dependency, request({ ...place, parent }, how))),
  };
}

export function variantsStep(place: FeaturePlace, body: Schemas['ReplaceVariants'], title: string): Step {
  return { title, send: (how) => stepAnswer(api.PUT(PATHS.variants, { ...request(place, how), body })) };
}

export function environmentVariantsStep(
  place: EnvironmentPlace,
  body: Schemas['ReplaceVariantsInEnvironment'],
  title: string,
): Step {
  return { title, send: (how) => stepAnswer(api.PUT(PATHS.environmentVariants, { ...request(place, how), body })) };
}

export function windowStep(place: EnvironmentPlace, body: Schemas['FeatureWindow'], title: string): Step {
  return { title, send: (how) => stepAnswer(api.PUT(PATHS.window, { ...request(place, how), body })) };
}

export function switchStep(place: EnvironmentPlace, isOn: boolean): Step {
  const title = `Switch it ${isOn ? 'on' : 'off'} in ${place.environment}`;
  return { title, send: (how) => stepAnswer(api.POST(isOn ? PATHS.on : PATHS.off, request(place, how))) };
}

export function strategyAddition(place: EnvironmentPlace, body: Schemas['AddStrategy'], title: string): Step {
  return { title, send: (how) => stepAnswer(api.POST(PATHS.strategies, { ...request(place, how), body })) };
}

interface PlaceOfStrategy extends EnvironmentPlace {
  readonly strategyId: string;
}

export function strategyChange(place: PlaceOfStrategy, body: Schemas['UpdateStrategy'], title: string): Step {
  return { title, send: (how) => stepAnswer(api.PUT(PATHS.strategy, { ...request(place, how), body })) };
}

export function strategyRemoval(place: PlaceOfStrategy, title: string): Step {
  return { title, send: (how) => stepAnswer(api.DELETE(PATHS.strategy, request(place, how))) };
}

export function strategyOrder(place: EnvironmentPlace, body: Schemas['StrategyOrder']): Step {
  const title = 'Put the strategies in order';
  return { title, send: (how) => stepAnswer(api.POST(PATHS.strategyOrder, { ...request(place, how), body })) };
}

/** `uid` names the object of then, if another one has the name now. */
export function restoreStep({ past, ...place }: RestorePlace, uid: { readonly uid?: string }, title: string): Step {
  const body = { ...past, ...uid };
  return { title, send: (how) => stepAnswer(api.POST(PATHS.restore, { ...request(place, how), body })) };
}

/** Replaces strategies, variants and window in the environment with those of another one. */
export function copyStep(place: EnvironmentPlace, from: string, title: string): Step {
  return { title, send: (how) => stepAnswer(api.POST(PATHS.copy, { ...request(place, how), body: { from } })) };
}
