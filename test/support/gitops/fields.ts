/** The fields that both Git and users may set: the value in Git, and how users change it through the admin API. */
import type { FlagSpec } from '../../../src/schema/feature-flag.ts';
import type { CallOptions } from '../admin-client.ts';
import type { Stored } from '../stored.ts';

export interface Field {
  readonly name: string;
  /** The request of the admin API, with `:flag` for the name. If absent, the change is made with kubectl. */
  readonly request?: string;
  /** The body of the request, or the JSON Patch of kubectl. */
  readonly body?: CallOptions['body'];
  readonly read: (spec: Stored) => unknown;
}

/** The spec of a flag that Git owns completely. */
export const saidByGit = {
  description: 'from Git',
  stale: false,
  tags: ['simple:git'],
  variants: [{ name: 'git' }],
  environments: {
    production: {
      enabled: true,
      strategies: {
        first: {
          name: 'flexibleRollout',
          sortOrder: 1,
          parameters: { rollout: 25, groupId: 'g', stickiness: 'default' },
          constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
        },
        second: { name: 'default', sortOrder: 2 },
      },
    },
  },
} as const satisfies FlagSpec;

const flag = '/projects/shop/features/:flag';
const environment = `${flag}/environments/production`;
const first = `${environment}/strategies/first`;
const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];
const production = ({ environments }: Stored) => environments?.production ?? {};

export const fields: readonly Field[] = [
  {
    name: 'description',
    request: `PATCH ${flag}`,
    body: replace('/description', 'by people'),
    read: ({ description }) => description,
  },
  { name: 'enabled', request: `POST ${environment}/off`, read: (spec) => production(spec).enabled },
  {
    name: 'rollout',
    request: `PATCH ${first}`,
    body: replace('/parameters/rollout', '50'),
    read: (spec) => production(spec).strategies.first.parameters.rollout,
  },
  {
    name: 'constraints',
    request: `PATCH ${first}`,
    body: replace('/constraints', [{ contextName: 'userId', operator: 'NOT_IN', values: ['2'] }]),
    read: (spec) => production(spec).strategies.first.constraints,
  },
  {
    name: 'order of strategies',
    request: `POST ${environment}/strategies/set-sort-order`,
    body: [
      { id: 'first', sortOrder: 9 },
      { id: 'second', sortOrder: 8 },
    ],
    read: (spec) => [production(spec).strategies.first.sortOrder, production(spec).strategies.second.sortOrder],
  },
  {
    name: 'variants',
    request: `PUT ${flag}/variants`,
    body: [{ name: 'people', weightType: 'variable', weight: 1000, stickiness: 'default' }],
    read: ({ variants }) => variants,
  },
  {
    name: 'a tag added',
    request: 'POST /features/:flag/tags',
    body: { type: 'simple', value: 'people' },
    read: ({ tags }) => tags,
  },
  { name: 'a tag of Git taken off', request: 'DELETE /features/:flag/tags/simple/git', read: ({ tags }) => tags },
  {
    name: 'a tag added with kubectl',
    body: [{ op: 'add', path: '/spec/tags/-', value: 'simple:people' }],
    read: ({ tags }) => tags,
  },
  { name: 'stale', request: `PATCH ${flag}`, body: replace('/stale', true), read: ({ stale }) => stale },
];
