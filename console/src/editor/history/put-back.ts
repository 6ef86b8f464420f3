/** The write that undoes an event of a flag. */
import type { Schemas } from '../../api.generated.ts';
import { bodyOfState } from '../../feature/fields/fields-draft.ts';
import type { EnvironmentPlace, FeaturePlace } from '../../feature/place.ts';
import { type TagDraft, tagText } from '../draft/tag-draft.ts';
import { ENVIRONMENT_ENDPOINTS, endpoint, FLAG_ENDPOINTS, PATHS } from '../flag-paths.ts';
import {
  dependencyRemoval,
  dependencyStep,
  environmentVariantsStep,
  fieldsStep,
  strategyAddition,
  strategyChange,
  strategyOrder,
  strategyRemoval,
  switchStep,
  tagsStep,
  variantsStep,
  windowStep,
} from '../flag-steps.ts';
import type { Step } from '../review/plan.ts';
import { shapedState } from './field-changes.ts';

export interface PutBack {
  /** The endpoint that the user must be allowed to call. */
  readonly endpoint: string;
  readonly step: Step;
}

type EventData = Schemas['Event']['data'];
type Undo = (
  place: EnvironmentPlace,
  states: { readonly before: EventData; readonly after: EventData },
) => PutBack | undefined;

/** Needs one of the states of the event. */
function withState<T>(side: 'before' | 'after', undo: (place: EnvironmentPlace, state: T) => PutBack): Undo {
  return (place, { [side]: state }) => (state ? undo(place, shapedState<T>(state)) : undefined);
}

type Variants = { readonly variants: Schemas['Variant'][] };

const UNDO: Readonly<Record<string, Undo>> = {
  'feature-metadata-updated': withState<Schemas['Feature']>('before', (place, before) => {
    const step = fieldsStep(place, bodyOfState(before), 'Put the fields of the flag back');
    return { endpoint: FLAG_ENDPOINTS.fields, step };
  }),
  'feature-variants-updated': withState<Variants>('before', (place, { variants }) => ({
    endpoint: FLAG_ENDPOINTS.variants,
    step: variantsStep(place, variants, 'Put the variants back'),
  })),
  'feature-environment-variants-updated': withState<Variants>('before', (place, { variants }) => ({
    endpoint: ENVIRONMENT_ENDPOINTS.variants,
    step: environmentVariantsStep(place, variants, `Put the variants in ${place.environment} back`),
  })),
  'feature-window-updated': withState<Schemas['FeatureWindow']>('before', (place, { activeFrom, activeUntil }) => {
    const body = { activeFrom: activeFrom ?? null, activeUntil: activeUntil ?? null };
    const step = windowStep(place, body, `Put the window in ${place.environment} back`);
    return { endpoint: ENVIRONMENT_ENDPOINTS.window, step };
  }),
  'feature-tagged': withState<TagDraft>('after', (place, tag) => ({
    endpoint: FLAG_ENDPOINTS.tags,
    step: tagsStep(place, { removedTags: [tag] }, `Remove the tag ${tagText(tag)} again`),
  })),
  'feature-untagged': withState<TagDraft>('before', (place, tag) => ({
    endpoint: FLAG_ENDPOINTS.tags,
    step: tagsStep(place, { addedTags: [tag] }, `Add the tag ${tagText(tag)} again`),
  })),
  'feature-dependency-added': withState<Schemas['Dependency']>('after', (place, { feature }) => ({
    endpoint: FLAG_ENDPOINTS.removeDependency,
    step: dependencyRemoval(place, feature),
  })),
  'feature-dependency-removed': withState<Schemas['Dependency']>('before', (place, dependency) => ({
    endpoint: FLAG_ENDPOINTS.addDependency,
    step: dependencyStep(place, dependency, `Put the dependency on ${dependency.feature} back`),
  })),
  'feature-strategy-add': withState<Schemas['Strategy']>('after', (place, { id, name }) => ({
    endpoint: ENVIRONMENT_ENDPOINTS.remove,
    step: strategyRemoval({ ...place, strategyId: id }, `Remove the strategy ${name} again`),
  })),
  'feature-strategy-update': withState<Schemas['Strategy']>('before', (place, strategy) => ({
    endpoint: ENVIRONMENT_ENDPOINTS.change,
    step: strategyChange({ ...place, strategyId: strategy.id }, strategy, `Put the strategy ${strategy.name} back`),
  })),
  'feature-strategy-remove': withState<Schemas['Strategy']>('before', (place, strategy) => ({
    endpoint: ENVIRONMENT_ENDPOINTS.add,
    step: strategyAddition(place, strategy, `Add the strategy ${strategy.name} again`),
  })),
  'strategy-order-changed': withState<{ readonly strategyIds: string[] }>('before', (place, { strategyIds }) => ({
    endpoint: ENVIRONMENT_ENDPOINTS.order,
    step: strategyOrder(
      place,
      strategyIds.map((id, sortOrder) => ({ id, sortOrder })),
    ),
  })),
  'feature-environment-enabled': (place) => ({ endpoint: endpoint('POST', PATHS.off), step: switchStep(place, false) }),
  'feature-environment-disabled': (place) => ({ endpoint: endpoint('POST', PATHS.on), step: switchStep(place, true) }),
};

/** Returns undefined if no single write undoes the event. */
export function putBackOf(place: FeaturePlace, event: Schemas['Event']): PutBack | undefined {
  const { type, environment, data, preData } = event;
  return UNDO[type]?.({ ...place, environment: environment ?? '' }, { before: preData, after: data });
}
