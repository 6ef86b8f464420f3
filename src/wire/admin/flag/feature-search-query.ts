/** The query of a flag search. */
import { z } from 'zod';
import {
  environmentOfSort,
  type FlagFilter,
  type FlagOrder,
  type OneOf,
  type Some,
  schedules,
  sortFields,
} from '../../../domain/flag/search-flags.ts';
import { type ShareSize, shareSizes } from '../../../domain/flag/share.ts';
import { lifecycleStages } from '../../../domain/usage/lifecycle.ts';
import { flagTypes } from '../../../schema/feature-flag.ts';
import { booleanParam, includeParam, repeated, sortOrderParam, startOfDay, valuesIn, wholeNumber } from '../query.ts';

const MAX_VALUES = 100;
/** The length of a list of the longest tags, with commas. */
const MAX_LIST_LENGTH = 11_000;
const MAX_TEXT_LENGTH = 1000;
/** The length of a list of environments with their states. */
const MAX_STATUS_LENGTH = 120;
const DEFAULT_LIMIT = 50;
/** The maximum number of flags on one page. */
export const MAX_FOUND = 1000;

const oneOf: Readonly<Record<string, Omit<OneOf, 'values'>>> = {
  IS: { isWanted: true },
  IS_ANY_OF: { isWanted: true },
  IS_NOT: { isWanted: false },
  IS_NONE_OF: { isWanted: false },
};
const some: Readonly<Record<string, Omit<Some, 'values'>>> = {
  INCLUDE: { count: 'any', isWanted: true },
  INCLUDE_ANY_OF: { count: 'any', isWanted: true },
  INCLUDE_ALL_OF: { count: 'all', isWanted: true },
  DO_NOT_INCLUDE: { count: 'any', isWanted: false },
  EXCLUDE_IF_ANY_OF: { count: 'any', isWanted: false },
  EXCLUDE_ALL: { count: 'all', isWanted: false },
};

function operatorIn(text: string): string {
  return text.slice(0, text.indexOf(':'));
}

interface ListWords {
  readonly what: string;
  readonly example: string;
  /** The only possible values. */
  readonly among?: readonly string[];
}

/** An empty list counts as an absent parameter. */
function listOf<T extends object>(operators: Readonly<Record<string, T>>, { what, example, among }: ListWords) {
  const words = Object.keys(operators);
  const isAmong = (value: string) => !among || among.includes(value);
  return z
    .string()
    .max(MAX_LIST_LENGTH, { abort: true })
    .regex(new RegExp(`^(${words.join('|')}):.*$`), {
      error: `must be an operator, a colon and values with commas between them. The operators are ${words.join(', ')}`,
      abort: true,
    })
    .refine((text) => valuesIn(text).length <= MAX_VALUES, { error: `it names more than ${MAX_VALUES} values` })
    .refine((text) => valuesIn(text).every(isAmong), { error: `the values are ${among?.join(', ')}` })
    .optional()
    .transform((text) => {
      const operator = text === undefined ? undefined : operators[operatorIn(text)];
      const values = valuesIn(text ?? '');
      return operator && values.length > 0 ? { ...operator, values } : undefined;
    })
    .meta({
      description: `${what}: one of ${words.join(', ')}, a colon, and up to ${MAX_VALUES} values with commas between them.`,
      examples: [example],
    });
}

const DAY = /^(IS_BEFORE|IS_ON_OR_AFTER):\d{4}-\d{2}-\d{2}$/;

function day(what: string) {
  return z
    .string()
    .regex(DAY, { error: 'must be IS_BEFORE:YYYY-MM-DD or IS_ON_OR_AFTER:YYYY-MM-DD', abort: true })
    .refine((text) => !Number.isNaN(startOfDay(text)), { error: 'there is no such day' })
    .optional()
    .meta({
      description: `${what}, in UTC: \`IS_BEFORE:YYYY-MM-DD\` or \`IS_ON_OR_AFTER:YYYY-MM-DD\`.`,
      examples: ['IS_ON_OR_AFTER:2026-03-01'],
    });
}

const STATUS = /^(.{1,100}):(enabled|disabled)$/;

/** Names of environments, each with a word. */
function inEnvironments(form: RegExp, words: string) {
  return repeated
    .refine((all) => all.length <= MAX_VALUES, { error: `there are more than ${MAX_VALUES} of them` })
    .refine((all) => all.every((one) => one.length <= MAX_STATUS_LENGTH && form.test(one)), {
      error: `each must be the name of an environment, a colon, and ${words}`,
    });
}

const status = inEnvironments(STATUS, 'enabled or disabled').meta({
  description:
    'Only flags that are on or off in one of these environments, for example `production:enabled`. Flags of projects that do not use the environment are neither on nor off.',
});

const SHARE = new RegExp(`^(.{1,100}):(${shareSizes.join('|')})$`);

const share = inEnvironments(SHARE, `one of ${shareSizes.join(', ')}`).meta({
  description:
    'Only flags whose switch is on in one of these environments for so many users, for example `production:part`: `everyone`, `part`, or `none` (without effect, or for 0 % of the users).',
});

const DIFFERS = /^([^,]{1,100}),([^,]{1,100})$/;

const differs = z
  .string()
  .max(MAX_STATUS_LENGTH * 2)
  .regex(DIFFERS, { error: 'must be the names of two environments with a comma between them' })
  .optional()
  .meta({
    description:
      'Two environments: only flags that are on in one of them and off in the other. Flags of projects that do not use both environments are left out.',
    examples: ['development,production'],
  });

const isSortable = (by: string) => sortFields.includes(by) || Boolean(environmentOfSort(by));

export const featureSearchQuery = z.object({
  query: z
    .string()
    .max(MAX_TEXT_LENGTH)
    .optional()
    .meta({
      description: 'Text that the name or a tag contains, compared without case and accents. There are no wildcards.',
      examples: ['checkout'],
    }),
  descriptions: booleanParam.meta({ description: 'true: `query` also searches the descriptions.' }),
  name: listOf(oneOf, { what: 'Names of flags', example: 'IS_ANY_OF:one-page-checkout,dark-mode' }),
  project: listOf(oneOf, { what: 'Ids of projects', example: 'IS:shop' }),
  state: listOf(oneOf, {
    what: 'The states active, stale or potentially-stale (some of the active flags)',
    example: 'IS:active',
    among: ['active', 'stale', 'potentially-stale'],
  }),
  lifecycle: listOf(oneOf, { what: 'Stages of the lifecycle', example: 'IS:live', among: lifecycleStages }),
  type: listOf(oneOf, { what: 'Types of flags', example: 'IS_ANY_OF:release,experiment', among: flagTypes }),
  tag: listOf(some, { what: 'Tags, written `type:value`', example: 'INCLUDE:simple:checkout' }),
  segment: listOf(some, { what: 'Names of segments', example: 'EXCLUDE_ALL:beta' }),
  status,
  differs,
  differsBy: z
    .enum(['state', 'configuration'])
    .optional()
    .meta({
      description:
        'The properties that `differs` compares. `state`, or left out: on and off. `configuration`: also the strategies in their order, with parameters, constraints and segments, and the variants and windows.',
      examples: ['configuration'],
    }),
  switch: z
    .enum(['protected', 'ineffective'])
    .optional()
    .meta({
      description:
        'Only flags with a switch that a GitOps tool owns (`protected`), or that is on while the flag is off (`ineffective`), in any environment.',
      examples: ['ineffective'],
    }),
  switchOwner: z
    .string()
    .max(MAX_TEXT_LENGTH)
    .optional()
    .meta({
      description:
        'Only flags with a switch, in any environment, whose owner is a field manager with this text in its name. Case is ignored.',
      examples: ['kustomize'],
    }),
  label: listOf(some, {
    what: 'Labels of the custom resource, written `key=value` or `key`',
    example: 'INCLUDE:team=cash',
  }),
  share,
  schedule: z
    .enum(schedules)
    .optional()
    .meta({
      description: 'Only flags with a `window`, a `ramp`, or a `planned` change by time alone, in any environment.',
      examples: ['ramp'],
    }),
  createdAt: day('The day on which the flag was created'),
  lastSeenAt: day('The day on which an SDK last evaluated the flag (flags that no SDK evaluated are left out)'),
  offset: wholeNumber({ least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 }, 'How many to skip'),
  limit: wholeNumber({ least: 1, most: MAX_FOUND, fallback: DEFAULT_LIMIT }, 'How many to answer'),
  sortBy: z
    .string()
    .max(MAX_STATUS_LENGTH)
    .refine(isSortable, { error: `it must be one of ${sortFields.join(', ')}, or environment:NAME` })
    .optional()
    .meta({
      description: `The field to sort by: ${sortFields.join(', ')}, or \`environment:NAME\`, where on comes after off. Equal flags are sorted by name. Default: createdAt.`,
      examples: ['createdAt'],
    }),
  sortOrder: sortOrderParam.meta({ description: 'The order. Left out: asc.', examples: ['desc'] }),
  include: includeParam,
  favoritesFirst: booleanParam.meta({ description: 'Accepted, but without effect: Vexil has no favorites.' }),
});
type FeatureSearchQuery = z.output<typeof featureSearchQuery>;

export interface FlagSearch {
  readonly filter: FlagFilter;
  readonly order: FlagOrder;
  readonly offset: number;
  readonly limit: number;
  readonly withStatus: boolean;
}

/** `now` in ms since 1970. */
export function searchOf(
  { query, sortBy = 'createdAt', sortOrder, ...said }: FeatureSearchQuery,
  now: number,
): FlagSearch {
  const { offset, limit, createdAt: created, status: states, project, state, type, tag, segment, lifecycle } = said;
  const shares = said.share.flatMap((one) => {
    const [, environment, size] = SHARE.exec(one) ?? [];
    return environment === undefined ? [] : [{ environment, size: size as ShareSize }];
  });
  const parsed = states.flatMap((one) => {
    const [, environment, word] = STATUS.exec(one) ?? [];
    return environment === undefined ? [] : [{ environment, isEnabled: word === 'enabled' }];
  });
  return {
    filter: {
      text: query,
      inDescriptions: said.descriptions,
      ...{ project, state, type, tag, segment, lifecycle, now },
      seen: said.lastSeenAt === undefined ? undefined : seenIn(said.lastSeenAt),
      status: parsed.length > 0 ? parsed : undefined,
      [said.differsBy === 'configuration' ? 'configuredApart' : 'differs']: pairIn(said.differs),
      switch: said.switch,
      switchOwner: said.switchOwner,
      ...{ name: said.name, label: said.label, schedule: said.schedule },
      share: shares.length > 0 ? shares : undefined,
      ...(created !== undefined && bounds(created)),
    },
    order: { by: sortBy, isDescending: sortOrder === 'desc' },
    offset,
    limit,
    withStatus: said.include === 'status',
  };
}

function pairIn(text: string | undefined): FlagFilter['differs'] {
  const [, one, other] = DIFFERS.exec(text ?? '') ?? [];
  return one === undefined || other === undefined ? undefined : [one, other];
}

function seenIn(text: string): NonNullable<FlagFilter['seen']> {
  return text.startsWith('IS_BEFORE') ? { until: startOfDay(text) } : { from: startOfDay(text) };
}

/** Times of the API server are whole seconds in UTC, so they compare as text with the first moment of a day. */
function bounds(created: string): Pick<FlagFilter, 'from' | 'until'> {
  const start = `${new Date(startOfDay(created)).toISOString().slice(0, 'YYYY-MM-DD'.length)}T00:00:00Z`;
  return created.startsWith('IS_BEFORE') ? { until: start } : { from: start };
}
