/** Flags that are as large as etcd takes, each by another part of its spec. */
import type { FlagSpec } from '../../src/schema/feature-flag.ts';

const texts = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `${index}-${'ö'.repeat(length)}`.slice(0, length));
/** A member of a map for each index. */
function mapOf<T>(count: number, value: (index: number) => T): Record<string, T> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value(index)]));
}
const all = { name: 'default' };
const on = { enabled: true, strategies: { all } };

/** JSON of many levels, and JSON of many members, as long as a payload may be. */
const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
const wide = JSON.stringify(texts(4_500, 8));

const nested = (levels: number): unknown => (levels === 0 ? 'x' : { a: nested(levels - 1), b: [1, 2, 3] });

const variants = (count: number, payload: { type: 'json' | 'csv' | 'string'; value: string }) =>
  Array.from({ length: count }, (_, index) => ({ name: `variant-${index}`, payload }));

export const largestFlags: Readonly<Record<string, FlagSpec>> = {
  'many strategies in many environments': {
    environments: {
      production: on,
      ...mapOf(29, () => ({
        enabled: true,
        strategies: mapOf(30, (index) => ({
          name: 'flexibleRollout',
          parameters: { rollout: '50', stickiness: 'userId', groupId: `group-${index}` },
          constraints: [{ contextName: 'userId', operator: 'IN' as const, values: texts(20, 16) }],
        })),
      })),
    },
  },
  'many values in one environment': {
    environments: {
      production: {
        enabled: true,
        strategies: mapOf(30, () => ({
          name: 'default',
          constraints: Array.from({ length: 4 }, () => ({
            contextName: 'email',
            operator: 'STR_ENDS_WITH' as const,
            caseInsensitive: true,
            values: texts(250, 16),
          })),
        })),
      },
    },
  },
  'deep payloads': { variants: variants(16, { type: 'json', value: deep }), environments: { production: on } },
  'wide payloads': { variants: variants(12, { type: 'json', value: wide }), environments: { production: on } },
  'long payloads': {
    variants: variants(12, { type: 'csv', value: `${'"a"",'.repeat(12_000)}` }),
    environments: { production: on },
  },
  'free parameters': {
    environments: {
      production: {
        enabled: true,
        strategies: mapOf(4, (index) => ({
          name: 'custom',
          parameters: { deep: nested(20), wide: Object.fromEntries(texts(8_000, 16).map((key) => [key, index])) },
        })),
      },
    },
  },
  'many overrides': {
    environments: {
      production: {
        ...on,
        variants: variants(40, { type: 'string', value: 'x' }).map((variant) => ({
          ...variant,
          overrides: Array.from({ length: 5 }, () => ({ contextName: 'userId', values: texts(250, 12) })),
        })),
      },
    },
  },
  'long lists of addresses and users': {
    environments: {
      production: {
        enabled: true,
        strategies: {
          addresses: { name: 'remoteAddress', parameters: { IPs: Array(90_000).fill('2001:db8::1').join() } },
        },
      },
      staging: {
        enabled: true,
        strategies: { users: { name: 'userWithId', parameters: { userIds: 'u1,'.repeat(99_000) } } },
      },
    },
  },
  'many tags and a long description': {
    description: 'İ'.repeat(4_096),
    tags: texts(100, 40).map((value) => `simple:${value.replace(/ö/g, 'o')}`),
    environments: { production: on },
  },
};
