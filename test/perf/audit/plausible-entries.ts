/** A history as it may be after years: 300 flags in 12 projects and 4 environments, changed by 40 users and a token. */
import type { NewEntry } from '../../../src/domain/history/entry.ts';
import type { AuditEventType } from '../../../src/domain/history/event-types.ts';
import type { JsonObject } from '../../../src/model/json.ts';

const DAY_MS = 86_400_000;
const FLAGS = 300;
export const PROJECTS = 12;
export const environments = ['development', 'staging', 'preproduction', 'production'];
export const FIRST_DAY = Date.UTC(2024, 0, 1);
export const DAYS = 600;

/** The frequent types are repeated. */
const types: readonly AuditEventType[] = [
  'feature-environment-enabled',
  'feature-environment-enabled',
  'feature-environment-disabled',
  'feature-strategy-update',
  'feature-strategy-update',
  'feature-strategy-update',
  'feature-strategy-add',
  'feature-strategy-remove',
  'feature-metadata-updated',
  'feature-environment-variants-updated',
  'feature-tagged',
];
const withoutProject: readonly AuditEventType[] = ['user-updated', 'environment-updated'];
const areas = ['checkout', 'search', 'login', 'pricing', 'banner', 'invoice', 'upload', 'profile', 'basket', 'mail'];
const kinds = ['new', 'legacy', 'beta', 'fast', 'mobile', 'dark', 'smart', 'safe'];
const countries = ['de', 'fr', 'it', 'es', 'pl', 'nl', 'se', 'dk', 'us', 'jp'];

export function flagName(number: number): string {
  return `${kinds[number % kinds.length]}-${areas[number % areas.length]}-${number}`;
}

export function projectId(number: number): string {
  return `${areas[number % areas.length]}-team-${number}`;
}

/** Returns numbers from 0 to below 1, always the same ones. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Chance {
  random(): number;
  below(limit: number): number;
  one<T>(list: readonly T[]): T;
}

function chanceOf(number: number): Chance {
  const random = seeded(number + 1);
  const below = (limit: number) => Math.floor(random() * limit);
  return { random, below, one: (list) => list[below(list.length)] as (typeof list)[number] };
}

function aStrategy({ below, one }: Chance, flag: number): JsonObject {
  return {
    id: `${below(2 ** 32)
      .toString(16)
      .padStart(8, '0')}-${below(2 ** 32)
      .toString(16)
      .padStart(8, '0')}`,
    name: 'flexibleRollout',
    parameters: { rollout: String(below(101)), stickiness: one(['default', 'userId']), groupId: flagName(flag) },
    constraints: Array.from({ length: below(4) }, () => ({
      contextName: one(['country', 'plan', 'userId']),
      operator: one(['IN', 'NOT_IN', 'STR_CONTAINS']),
      values: Array.from({ length: 1 + below(6) }, () => one(countries)),
      inverted: false,
    })),
    variants: [],
    segments: [],
  };
}

type About = Pick<NewEntry, 'type' | 'project' | 'environment' | 'featureName' | 'resource' | 'object'>;

function aboutFlag({ one }: Chance, flag: number): About {
  const type = one(types);
  const environment = /environment|strategy/.test(type) ? one(environments) : null;
  const name = flagName(flag);
  return {
    type,
    project: projectId(flag % PROJECTS),
    environment,
    featureName: name,
    resource: 'featureflags',
    object: name,
  };
}

function aboutUser({ one, below }: Chance): About {
  const object = `user-${below(40)}`;
  return {
    type: one(withoutProject),
    project: null,
    environment: null,
    featureName: null,
    resource: 'flagusers',
    object,
  };
}

/** Half of all changes come from a controller, and one of a thousand from an alert. */
function originOf(number: number): Pick<NewEntry, 'channel' | 'fieldManager'> {
  if (number % 1_000 === 1) return { channel: 'alert', fieldManager: null };
  if (number % 2 === 0) return { channel: 'kubernetes', fieldManager: 'kustomize-controller' };
  return { channel: number % 4 === 1 ? 'console' : 'api', fieldManager: null };
}

/** Returns the entry with this number, of that many. */
export function plausibleEntry(number: number, count: number): NewEntry {
  const chance = chanceOf(number);
  const { random, below, one } = chance;
  // Some flags are changed far more often than others.
  const flag = Math.floor(random() ** 2 * FLAGS);
  const creator = below(50);
  return {
    ...(random() < 0.97 ? aboutFlag(chance, flag) : aboutUser(chance)),
    key: `key-${number}`,
    createdAt: Math.floor(FIRST_DAY + (number / count) * DAYS * DAY_MS),
    data: { ...aStrategy(chance, flag), description: `The ${one(kinds)} ${one(areas)} for ${one(countries)}` },
    preData: random() < 0.6 ? aStrategy(chance, flag) : null,
    tags: random() < 0.3 ? [{ type: 'simple', value: `team-${one(areas)}` }] : [],
    subject: '',
    createdBy: creator < 10 ? 'ci-token' : `person-${creator}@example.com`,
    createdByUserId: creator < 10 ? -42 : creator,
    ip: null,
    ...originOf(number),
    reason: null,
    namespace: 'flags',
    uid: `uid-${flag}`,
    fromVersion: String(number),
    toVersion: String(number + 1),
    coalesced: false,
    restored: false,
    earliestAt: null,
  };
}
