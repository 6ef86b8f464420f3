/** Reads the environment document of Flagsmith, and exports of features, into flags of Vexil. */
import { DEFAULT_PROJECT } from '../../../src/domain/identity/names.ts';
import { isRecord, recordOf, recordsIn } from '../../../src/model/json.ts';
import { isWireName } from '../../../src/schema/fields/shapes.ts';
import { type Imported, type ImportOptions, together } from '../imported.ts';
import { ALWAYS } from '../rules/alternatives.ts';
import { oneOf } from '../rules/comparison.ts';
import { flagObject } from '../rules/flag-object.ts';
import { placeOfRules } from '../rules/place-of-rules.ts';
import type { Given } from '../rules/records.ts';
import { lostSegment, segmentObjects } from '../rules/segment-objects.ts';
import { DEFAULT_FIELD, ON_OR_OFF } from '../rules/targeting-rule.ts';
import { lost, type Unmapped } from '../unmapped.ts';
import { type PlacedState, rulesOf, sameState, variantsOf } from './rules.ts';
import { readFlagsmithSegment } from './segments.ts';

/** What SDKs with local evaluation get: all of one environment. */
export function isFlagsmithEnvironment({ feature_states: states, project }: Given): boolean {
  return Array.isArray(states) && isRecord(project);
}

/** An export of features, or what SDKs get without an identity. */
export function isFlagsmithList(value: unknown): boolean {
  return recordsIn(value).some((one) => isExported(one) || 'name' in recordOf(one['feature']));
}

function isExported(one: Given): boolean {
  return 'default_enabled' in one && 'initial_value' in one;
}

export function readFlagsmithList(list: unknown, options: ImportOptions): Imported {
  const read = recordsIn(list).map((one) => {
    const state = isExported(one) ? stateOfExport(one) : one;
    const { objects, unmapped } = readFeature([{ when: ALWAYS, share: undefined, state }], options);
    const more = one['is_server_key_only'] === true ? [lost(pathOf(state), true, SERVER_ONLY)] : [];
    return { objects, unmapped: [...unmapped, ...more] };
  });
  return together(read);
}

const SERVER_ONLY =
  'The feature is for server-side keys alone in Flagsmith. Frontend tokens of Vexil read all flags of their projects.';

/** An export has the values of the environment that it was made of. */
function stateOfExport({ name, enabled, value, multivariate }: Given): Given {
  const options = recordsIn(multivariate).map((option) => ({
    multivariate_feature_option: { value: option['value'] },
    percentage_allocation: option['percentage_allocation'],
  }));
  return { feature: { name }, enabled, feature_state_value: value, multivariate_feature_state_values: options };
}

export function readFlagsmith(document: Given, options: ImportOptions): Imported {
  const { name, feature_states: states, identity_overrides: identities } = document;
  const environment = typeof name === 'string' && isWireName(name) ? name : options.environment;
  const segments = readSegments(document, options.project ?? DEFAULT_PROJECT);
  const read = recordsIn(states).map((state) => {
    const ofSegments = segments.placed.filter((one) => isOf(one.state, state));
    const placed = [
      ...ofIdentities(recordsIn(identities), state),
      ...ofSegments.toSorted((one, other) => priorityOf(one.state) - priorityOf(other.state)),
      { when: ALWAYS, share: undefined, state },
    ];
    return readFeature(placed, { ...options, environment });
  });
  return together([segments, ...read]);
}

function nameOf({ feature }: Given): string {
  return String(recordOf(feature)['name']);
}

function isOf(state: Given, other: Given): boolean {
  return recordOf(state['feature'])['name'] === recordOf(other['feature'])['name'];
}

/** The lowest number counts first. */
function priorityOf({ feature_segment: segment }: Given): number {
  const { priority } = recordOf(segment);
  return typeof priority === 'number' ? priority : Number.MAX_SAFE_INTEGER;
}

function readSegments(
  { project: given }: Given,
  project: string,
): Imported & { readonly placed: readonly PlacedState[] } {
  const read = recordsIn(recordOf(given)['segments']).map((segment) => ({
    ...{ segment, name: String(segment['name']) },
    ...readFlagsmithSegment(segment),
  }));
  // A Segment has no percentage.
  const whole = read.filter(({ share }) => !share);
  const { objects, conditions } = segmentObjects(whole, project);
  return {
    objects,
    unmapped: read.flatMap(({ name, segment, when }) => (when ? [] : [lostSegment(name, segment['rules'])])),
    placed: read.flatMap((one) => {
      const when = one.share ? one.when : conditions[whole.indexOf(one)];
      return recordsIn(one.segment['feature_states']).map((state) => ({ when, share: one.share, state }));
    }),
  };
}

/** Each identity has its own state of a feature, before all segments. */
function ofIdentities(identities: readonly Given[], state: Given): readonly PlacedState[] {
  const own = identities.flatMap(({ identifier, identity_features: features }) =>
    recordsIn(features)
      .filter((one) => isOf(one, state))
      .map((one) => ({ identifier, state: one })),
  );
  const different = own.filter((one, index) => own.findIndex((other) => sameState(one.state, other.state)) === index);
  return different.map(({ state: same }) => {
    const users = own.filter((one) => sameState(one.state, same)).map(({ identifier }) => identifier);
    return { when: oneOf({ field: DEFAULT_FIELD, operator: 'IN', values: users }), share: undefined, state: same };
  });
}

function pathOf(state: Given): readonly string[] {
  return ['features', nameOf(state)];
}

/** The last state is that of the environment. */
function readFeature(placed: readonly PlacedState[], { project, environment }: ImportOptions): Imported {
  const [last] = placed.slice(-1);
  const state = last?.state ?? {};
  const isOff = placed.every((one) => one.state['enabled'] !== true);
  // A flag that is off for everyone is ready to be switched on.
  const given = isOff ? [{ when: ALWAYS, share: undefined, state: { ...state, enabled: true } }] : placed;
  const path = pathOf(state);
  const variants = variantsOf(given.map((one) => one.state));
  const value = placed.map(({ state: { feature, feature_segment: segment, ...rest } }) => rest);
  const { place, unmapped } = placeOfRules({
    ...{ name: nameOf(state), path, value, isEnabled: !isOff },
    rules: rulesOf(given, variants),
    variants: variants.size === 0 ? ON_OR_OFF : variants,
    areVariants: variants.size > 0,
    rulesAt: { path, value },
  });
  const object = flagObject({ name: nameOf(state), project, environments: { [environment]: place } });
  return { objects: [object], unmapped: [...unmapped, ...valueWhenOff(placed, path)] };
}

const VALUE_WHEN_OFF =
  'Flagsmith gives the value of a feature also where it is off. Vexil gives none: switch the flag on, or let the application have it.';

function valueWhenOff(placed: readonly PlacedState[], path: readonly string[]): readonly Unmapped[] {
  const values = placed
    .filter(({ state }) => state['enabled'] !== true)
    .map(({ state }) => state['feature_state_value'])
    .filter((value) => value !== null && value !== undefined && value !== '');
  return values.length === 0 ? [] : [lost([...path, 'feature_state_value'], values, VALUE_WHEN_OFF)];
}
