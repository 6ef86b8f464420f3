/** The spec of a flag as a flat list of fields, which histories are compared by. */
import { isRecord } from '../../../src/model/json.ts';

/** JSON texts by dotted path. A list is one field, because it has a meaning only as a whole. */
export type Fields = Readonly<Record<string, string>>;

export const ENVIRONMENTS = ['production', 'staging'] as const;

/** The key of the one strategy that the flags have in each environment. */
export const STRATEGY = 'base';

export const enabledIn = (environment: string) => `environments.${environment}.enabled`;
export const titleIn = (environment: string) => `environments.${environment}.strategies.${STRATEGY}.title`;

/** The meaning of an absent field. */
const DEFAULTS: Fields = {
  description: '""',
  type: '"release"',
  stale: 'false',
  impressionData: 'false',
  ...Object.fromEntries(ENVIRONMENTS.map((environment) => [enabledIn(environment), 'false'])),
  ...Object.fromEntries(ENVIRONMENTS.map((environment) => [titleIn(environment), 'null'])),
};

/** The fields of a spec. An absent or null field has its default. */
export function fieldsOf(spec: unknown): Fields {
  return { ...DEFAULTS, ...Object.fromEntries(fieldsWithOwnersOf(spec, [])) };
}

function fieldsWithOwnersOf(value: unknown, path: readonly string[]): [string, string][] {
  if (value === null || value === undefined) return [];
  if (!isRecord(value)) return [[path.join('.'), JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, member]) => fieldsWithOwnersOf(member, [...path, key]));
}

/** Returns a spec with exactly these fields. */
export function specOf(fields: Fields): object {
  const spec: Record<string, unknown> = {};
  for (const [path, text] of Object.entries(fields)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const place = keys.reduce<Record<string, unknown>>((within, key) => {
      within[key] ??= {};
      return within[key] as Record<string, unknown>;
    }, spec);
    place[last] = JSON.parse(text);
  }
  return spec;
}

/** The same fields, with null for those that have the default: in a merge patch, null removes them. */
export function withRemovals(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([path, text]) => [path, text === DEFAULTS[path] ? 'null' : text]),
  );
}

const METADATA = ['description', 'type', 'stale', 'impressionData'] as const;

/** The part of a flag in the admin API that is compared. */
export interface AnsweredFeature extends Readonly<Record<(typeof METADATA)[number], unknown>> {
  readonly environments?: readonly {
    readonly name: string;
    readonly enabled: boolean;
    readonly strategies: readonly { readonly title: string | null }[];
  }[];
}

/** The fields that an answer of the admin API shows. */
export function fieldsOfAnswer(feature: AnsweredFeature): Fields {
  const metadata = METADATA.map((field) => [field, JSON.stringify(feature[field])]);
  const switches = (feature.environments ?? []).flatMap(({ name, enabled, strategies }) => [
    [enabledIn(name), JSON.stringify(enabled)],
    ...strategies.map(({ title }) => [titleIn(name), JSON.stringify(title)]),
  ]);
  return Object.fromEntries([...metadata, ...switches]);
}

/** Whether `fields` has each of the values of `wanted`. */
export function holds(fields: Fields, wanted: Fields = {}): boolean {
  return Object.entries(wanted).every(([path, value]) => fields[path] === value);
}

/** The paths at which two specs differ. */
export function differing(before: Fields, after: Fields): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]).sort();
}
