/** The write that undoes an event of a flag. */
import type { Schemas } from '../../api.generated.ts';
import type { FeaturePlace } from '../../feature/place.ts';
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

type State = NonNullable<Schemas['Event']['data']>;

interface Undo {
  readonly place: FeaturePlace;
  readonly environment: string;
  readonly before: State | null;
  readonly after: State | null;
}

const UNDO: Readonly<Record<string, (undo: Undo) => PutBack | undefined>> = {
  'feature-metadata-updated': ({ place, before }) => {
    if (!before) return undefined;
    const { type, description, stale, impressionData, lifetimeDays } = shapedState<Schemas['Feature']>(before);
    const body = { type, description, stale, impressionData, lifetimeDays: lifetimeDays ?? null };
    return { endpoint: FLAG_ENDPOINTS.fields, step: fieldsStep(place, body, 'Put the fields of the flag back') };
  },
  'feature-variants-updated': ({ place, before }) => {
    if (!before) return undefined;
    const { variants } = shapedState<{ variants: Schemas['Variant'][] }>(before);
    return { endpoint: FLAG_ENDPOINTS.variants, step: variantsStep(place, variants, 'Put the variants back') };
  },
  'feature-environment-variants-updated': ({ place, environment, before }) => {
    if (!before) return undefined;
    const { variants } = shapedState<{ variants: Schemas['Variant'][] }>(before);
    const title = `Put the variants in ${environment} back`;
    return {
      endpoint: ENVIRONMENT_ENDPOINTS.variants,
      step: environmentVariantsStep({ ...place, environment }, variants, title),
    };
  },
  'feature-window-updated': ({ place, environment, before }) => {
    if (!before) return undefined;
    const { activeFrom, activeUntil } = shapedState<Schemas['FeatureWindow']>(before);
    const body = { activeFrom: activeFrom ?? null, activeUntil: activeUntil ?? null };
    const step = windowStep({ ...place, environment }, body, `Put the window in ${environment} back`);
    return { endpoint: ENVIRONMENT_ENDPOINTS.window, step };
  },
  'feature-tagged': ({ place, after }) => {
    if (!after) return undefined;
    const tag = shapedState<TagDraft>(after);
    const step = tagsStep(place, { removedTags: [tag] }, `Remove the tag ${tagText(tag)} again`);
    return { endpoint: FLAG_ENDPOINTS.tags, step };
  },
  'feature-untagged': ({ place, before }) => {
    if (!before) return undefined;
    const tag = shapedState<TagDraft>(before);
    const step = tagsStep(place, { addedTags: [tag] }, `Add the tag ${tagText(tag)} again`);
    return { endpoint: FLAG_ENDPOINTS.tags, step };
  },
  'feature-dependency-added': ({ place, after }) => {
    if (!after) return undefined;
    const { feature } = shapedState<Schemas['Dependency']>(after);
    return { endpoint: FLAG_ENDPOINTS.removeDependency, step: dependencyRemoval(place, feature) };
  },
  'feature-dependency-removed': ({ place, before }) => {
    if (!before) return undefined;
    const dependency = shapedState<Schemas['Dependency']>(before);
    const title = `Put the dependency on ${dependency.feature} back`;
    return { endpoint: FLAG_ENDPOINTS.addDependency, step: dependencyStep(place, dependency, title) };
  },
  'feature-strategy-add': ({ place, environment, after }) => {
    if (!after) return undefined;
    const { id, name } = shapedState<Schemas['Strategy']>(after);
    const step = strategyRemoval({ ...place, environment, strategyId: id }, `Remove the strategy ${name} again`);
    return { endpoint: ENVIRONMENT_ENDPOINTS.remove, step };
  },
  'feature-strategy-update': ({ place, environment, before }) => {
    if (!before) return undefined;
    const strategy = shapedState<Schemas['Strategy']>(before);
    const there = { ...place, environment, strategyId: strategy.id };
    const step = strategyChange(there, strategy, `Put the strategy ${strategy.name} back`);
    return { endpoint: ENVIRONMENT_ENDPOINTS.change, step };
  },
  'feature-strategy-remove': ({ place, environment, before }) => {
    if (!before) return undefined;
    const strategy = shapedState<Schemas['Strategy']>(before);
    const step = strategyAddition({ ...place, environment }, strategy, `Add the strategy ${strategy.name} again`);
    return { endpoint: ENVIRONMENT_ENDPOINTS.add, step };
  },
  'strategy-order-changed': ({ place, environment, before }) => {
    if (!before) return undefined;
    const { strategyIds } = shapedState<{ strategyIds: string[] }>(before);
    const order = strategyIds.map((id, sortOrder) => ({ id, sortOrder }));
    return { endpoint: ENVIRONMENT_ENDPOINTS.order, step: strategyOrder({ ...place, environment }, order) };
  },
  'feature-environment-enabled': ({ place, environment }) => ({
    endpoint: endpoint('POST', PATHS.off),
    step: switchStep({ ...place, environment }, false),
  }),
  'feature-environment-disabled': ({ place, environment }) => ({
    endpoint: endpoint('POST', PATHS.on),
    step: switchStep({ ...place, environment }, true),
  }),
};

/** Returns undefined if no single write undoes the event. */
export function putBackOf(place: FeaturePlace, event: Schemas['Event']): PutBack | undefined {
  const { type, environment, data, preData } = event;
  return UNDO[type]?.({ place, environment: environment ?? '', before: preData, after: data });
}
