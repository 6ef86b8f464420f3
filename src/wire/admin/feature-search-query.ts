/** The query of a flag search. */
import { z } from 'zod';
import {
  environmentOfSort,
  type FlagFilter,
  type FlagOrder,
  type OneOf,
  type Some,
  sortFields,
} from '../../domain/flag/search-flags.ts';
import { flagTypes } from '../../schema/feature-flag.ts';
import { booleanParam, repeated, startOfDay, valuesIn } from './query.ts';

const MAX_VALUES = 100;
/** So many of the longest tags, with commas. */
const MAX_LIST_LENGTH = 11_000;
const MAX_TEXT_LENGTH = 1000;
/** Of environments with their states. */
const MAX_STATUS_LENGTH = 120;
const DEFAULT_LIMIT = 50;
/** On one page. */
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
  /** The only values that there can be. */
  readonly among?: readonly string[];
}

/** No value is as good as no parameter. */
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

const CREATED = /^(IS_BEFORE|IS_ON_OR_AFTER):\d{4}-\d{2}-\d{2}$/;

const createdAt = z
  .string()
  .regex(CREATED, { error: 'must be IS_BEFORE:YYYY-MM-DD or IS_ON_OR_AFTER:YYYY-MM-DD', abort: true })
  .refine((text) => !Number.isNaN(startOfDay(text)), { error: 'there is no such day' })
  .optional()
  .meta({
    description: 'When they were created, in UTC: `IS_BEFORE:YYYY-MM-DD` or `IS_ON_OR_AFTER:YYYY-MM-DD`.',
    examples: ['IS_ON_OR_AFTER:2026-03-01'],
  });

const STATUS = /^(.{1,100}):(enabled|disabled)$/;

const status = repeated
  .refine((all) => all.length <= MAX_VALUES, { error: `there are more than ${MAX_VALUES} of them` })
  .refine((all) => all.every((one) => one.length <= MAX_STATUS_LENGTH && STATUS.test(one)), {
    error: 'each must be the name of an environment, a colon, and enabled or disabled',
  })
  .meta({
    description:
      'Only flags that are on, or off, in one of these environments: `production:enabled`. Those of projects that do not use the environment are neither.',
  });

function wholeNumber(
  range: { readonly least: number; readonly most: number; readonly fallback: number },
  what: string,
) {
  const { least, most, fallback } = range;
  return z
    .string()
    .regex(/^\d{1,15}$/, { error: `must be a whole number from ${least} to ${most}`, abort: true })
    .refine((text) => Number(text) >= least && Number(text) <= most, { error: `it must be from ${least} to ${most}` })
    .optional()
    .transform((text) => (text === undefined ? fallback : Number(text)))
    .meta({ description: `${what}, from ${least} to ${most}. Left out: ${fallback}.`, examples: [`${fallback}`] });
}

const isSortable = (by: string) => sortFields.includes(by) || Boolean(environmentOfSort(by));

export const featureSearchQuery = z.object({
  query: z
    .string()
    .max(MAX_TEXT_LENGTH)
    .optional()
    .meta({
      description:
        'What the name or a tag contains, whatever its case and accents. No character means anything but itself.',
      examples: ['checkout'],
    }),
  project: listOf(oneOf, { what: 'Ids of projects', example: 'IS:shop' }),
  state: listOf(oneOf, { what: 'active or stale', example: 'IS:active', among: ['active', 'stale'] }),
  type: listOf(oneOf, { what: 'Types of flags', example: 'IS_ANY_OF:release,experiment', among: flagTypes }),
  tag: listOf(some, { what: 'Tags, written `type:value`', example: 'INCLUDE:simple:checkout' }),
  segment: listOf(some, { what: 'Names of segments', example: 'EXCLUDE_ALL:beta' }),
  status,
  createdAt,
  offset: wholeNumber({ least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 }, 'How many to skip'),
  limit: wholeNumber({ least: 1, most: MAX_FOUND, fallback: DEFAULT_LIMIT }, 'How many to answer'),
  sortBy: z
    .string()
    .max(MAX_STATUS_LENGTH)
    .refine(isSortable, { error: `it must be one of ${sortFields.join(', ')}, or environment:NAME` })
    .optional()
    .meta({
      description: `What to sort by: ${sortFields.join(', ')}, or \`environment:NAME\`, where on comes after off. Equal flags are sorted by name. Left out: createdAt.`,
      examples: ['createdAt'],
    }),
  sortOrder: z
    .enum(['asc', 'desc'])
    .optional()
    .meta({ description: 'Left out: asc.', examples: ['desc'] }),
  favoritesFirst: booleanParam.meta({ description: 'Taken, and without effect: there are no favorites.' }),
});
type FeatureSearchQuery = z.output<typeof featureSearchQuery>;

export interface FlagSearch {
  readonly filter: FlagFilter;
  readonly order: FlagOrder;
  readonly offset: number;
  readonly limit: number;
}

export function searchOf({ query, sortBy = 'createdAt', sortOrder, ...said }: FeatureSearchQuery): FlagSearch {
  const { offset, limit, createdAt: created, status: states, project, state, type, tag, segment } = said;
  const parsed = states.flatMap((one) => {
    const [, environment, word] = STATUS.exec(one) ?? [];
    return environment === undefined ? [] : [{ environment, isEnabled: word === 'enabled' }];
  });
  return {
    filter: {
      text: query,
      ...{ project, state, type, tag, segment },
      status: parsed.length > 0 ? parsed : undefined,
      ...(created !== undefined && bounds(created)),
    },
    order: { by: sortBy, isDescending: sortOrder === 'desc' },
    offset,
    limit,
  };
}

/** Times of the API server are whole seconds in UTC, so they compare as text with the first moment of a day. */
function bounds(created: string): Pick<FlagFilter, 'from' | 'until'> {
  const start = `${new Date(startOfDay(created)).toISOString().slice(0, 'YYYY-MM-DD'.length)}T00:00:00Z`;
  return created.startsWith('IS_BEFORE') ? { until: start } : { from: start };
}
