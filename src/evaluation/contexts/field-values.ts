/** Values of context fields at which the rules of flags decide in one way or the other. */
import { DAY_MS } from '../../model/clock.ts';
import type { ClientConstraint, ClientFeature, FlagDocument } from '../client-document.ts';
import { listOf } from '../strategy-types.ts';

export type FieldValues = ReadonlyMap<string, readonly string[]>;

/** A long list adds no branch after its first values. */
const MAX_OF_LIST = 6;

/** The values for each field that a rule reads, on either side of its limit. */
export function fieldValues(documents: readonly FlagDocument[]): FieldValues {
  const values = new Map<string, string[]>();
  const add = (field: string, ...more: readonly string[]): void => {
    const known = values.get(field) ?? [];
    values.set(field, [...known, ...more.filter((value) => value === ANOTHER || !known.includes(value))]);
  };
  for (const constraint of documents.flatMap(constraintsIn)) add(constraint.contextName, ...around(constraint));
  for (const [field, some] of documents.flatMap(({ features }) => features.flatMap(ofFeature))) add(field, ...some);
  return values;
}

type SomeValues = readonly [field: string, values: readonly string[]];

/** What its strategies and overrides read besides constraints. */
function ofFeature({ strategies, variants }: ClientFeature): readonly SomeValues[] {
  return [
    ...strategies.flatMap(ofStrategy),
    ...variants.flatMap(({ overrides = [] }) =>
      overrides.map(({ contextName, values }): SomeValues => [contextName, values.slice(0, MAX_OF_LIST)]),
    ),
  ];
}

function ofStrategy({ name, parameters }: ClientFeature['strategies'][number]): readonly SomeValues[] {
  const { userIds, IPs, stickiness } = parameters;
  return [
    ...(name === 'userWithId' ? [['userId', listed(userIds)] as const] : []),
    ...(name === 'remoteAddress' ? [['remoteAddress', listed(IPs).map(withoutRange)] as const] : []),
    ...(stickiness && !CHOSEN.includes(stickiness) ? [[stickiness, [ANOTHER]] as const] : []),
  ];
}

/** `default` and `random` are no fields, and all contexts have users and sessions. */
const CHOSEN: readonly string[] = ['default', 'random', 'userId', 'sessionId'];
/** Stands for a value that no other context has, so that all shares of rollouts are reached. */
export const ANOTHER = '\0';

function constraintsIn({ features, segments }: FlagDocument): readonly ClientConstraint[] {
  const ofSegments = segments.flatMap(({ constraints }) => constraints);
  return [...ofSegments, ...features.flatMap(({ strategies }) => strategies.flatMap(({ constraints }) => constraints))];
}

function listed(text: string | undefined): readonly string[] {
  return listOf(text).slice(0, MAX_OF_LIST);
}

function withoutRange(range: string): string {
  return range.replace(/\/\d+$/, '');
}

/** Values for which the constraint holds, and values for which it does not. */
function around({ operator, values, value = '' }: ClientConstraint): readonly string[] {
  const some = values.slice(0, MAX_OF_LIST);
  const [kind = ''] = operator.split('_');
  switch (kind) {
    case 'NUM':
      return Number.isFinite(Number(value)) ? [value, `${Number(value) - 1}`, `${Number(value) + 1}`] : [];
    case 'DATE':
      return aroundDate(value);
    case 'SEMVER':
      return [value, '0.0.0', '999.0.0'];
    case 'STR':
      return [...some, ...some.map((one) => `${one}~`), ...some.map((one) => `~${one}`), 'other'];
    case 'REGEX':
      return [value.replace(/^\^|\$$/g, '').replaceAll(/\\(?=\W)/g, ''), 'other'];
    default:
      return [
        ...some.map(operator === 'IN_CIDR' ? withoutRange : String),
        ...some.map((one) => one.toUpperCase()),
        'other',
      ];
  }
}

function aroundDate(value: string): readonly string[] {
  const at = Date.parse(value);
  return Number.isFinite(at) ? [at - DAY_MS, at + DAY_MS].map((one) => new Date(one).toISOString()) : [];
}
