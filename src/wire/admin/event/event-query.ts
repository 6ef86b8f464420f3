/** The query of a search in the history. */

import { z } from 'zod';
import type { EntryFilter, Page } from '../../../domain/history/entry.ts';
import { type SearchedWay, searchedWays } from '../../../domain/history/way.ts';
import { DAY_MS } from '../../../model/clock.ts';
import { booleanParamOr, limitParam, startOfDay, startParam, valuesIn } from '../query.ts';

const MAX_VALUES = 100;
/** The length of a list of the longest names, with commas. */
const MAX_LIST_LENGTH = 10_000;
const MAX_TEXT_LENGTH = 1000;

const DEFAULT_LIMIT = 50;
/** The largest page of a search. */
export const MAX_EVENTS = 1000;

/** The texts of `^(IS|IS_ANY_OF):(.*?)(,([a-zA-Z0-9_]+))*$`, which Unleash documents, matched in linear time. */
const LIST = /^(IS|IS_ANY_OF):.*$/;
const DAY = /^(IS):\d{4}-\d{2}-\d{2}$/;
/** Limits the digits so that the number is exact. */
const USER_ID = /^-?\d{1,15}$/;

const listText = z
  .string()
  .max(MAX_LIST_LENGTH, { abort: true })
  .regex(LIST, {
    error: 'must be IS:VALUE or IS_ANY_OF:VALUE,VALUE, with any number of values in one line',
    abort: true,
  })
  .refine((text) => valuesIn(text).length <= MAX_VALUES, { error: `it names more than ${MAX_VALUES} values` });

/** An empty list counts as an absent parameter. */
function presentOnly<T>(values: readonly T[] | undefined): readonly T[] | undefined {
  return values?.length === 0 ? undefined : values;
}

function listOf(what: string, example: string) {
  return listText
    .optional()
    .transform((text) => presentOnly(text === undefined ? undefined : valuesIn(text)))
    .meta({
      description: `${what}, written \`IS:VALUE\` or \`IS_ANY_OF:VALUE,VALUE\`, with up to ${MAX_VALUES} values. A value must match exactly.`,
      examples: [example],
    });
}

const userIds = listText
  .refine((text) => valuesIn(text).every((value) => USER_ID.test(value)), {
    error: 'each value must be the id of a user, a whole number of at most 15 digits',
  })
  .optional()
  .transform((text) => presentOnly(text === undefined ? undefined : [...new Set(valuesIn(text).map(Number))]))
  .meta({
    description:
      'Ids of authors, written as in `feature`: the id of a user, -42 for an admin token, -1 for an author who is not a FlagUser, -1337 for Vexil itself.',
    examples: ['IS_ANY_OF:7,-42'],
  });

function dayOf(description: string, example: string) {
  return z
    .string()
    .regex(DAY, { error: 'must be IS:YYYY-MM-DD', abort: true })
    .refine((text) => !Number.isNaN(startOfDay(text)), { error: 'there is no such day' })
    .transform(startOfDay)
    .optional()
    .meta({ description, examples: [example] });
}

const isWay = (value: string): value is SearchedWay => (searchedWays as readonly string[]).includes(value);

const ways = listText
  .refine((text) => valuesIn(text).every(isWay), { error: `each value must be one of ${searchedWays.join(', ')}` })
  .optional()
  .transform((text) => presentOnly(text === undefined ? undefined : valuesIn(text).filter(isWay)))
  .meta({
    description:
      'The ways through which changes came, written as in `feature`: a `channel` of the answer; `kubectl` and `controller`, the two parts of `kubernetes` by the field manager; `unknown`, where `channel` is null.',
    examples: ['IS_ANY_OF:console,kubectl'],
  });

const EVENT_ID = /^\d{1,15}$/;

const ids = listText
  .refine((text) => valuesIn(text).every((value) => EVENT_ID.test(value)), {
    error: 'each value must be the id of an event, a whole number of at most 15 digits',
  })
  .optional()
  .transform((text) => presentOnly(text === undefined ? undefined : [...new Set(valuesIn(text).map(Number))]))
  .meta({ description: 'Ids of events, written as in `feature`.', examples: ['IS:1001'] });

const filters = {
  id: ids,
  query: z
    .string()
    .max(MAX_TEXT_LENGTH)
    .optional()
    .meta({
      description:
        'Text that data, preData or tags contain as JSON, compared without case. There are no wildcards. Masked parts of addresses are not found.',
      examples: ['checkout'],
    }),
  feature: listOf('Names of flags', 'IS_ANY_OF:one-page-checkout,dark-mode'),
  project: listOf('Ids of projects', 'IS:shop'),
  type: listOf('Types of events', 'IS:feature-created'),
  createdBy: userIds,
  author: z
    .string()
    .max(MAX_TEXT_LENGTH)
    .optional()
    .meta({
      description:
        'Text that the name of the author contains (`createdBy` of the answer), compared without case. There are no wildcards. Callers who see masked addresses search in the masked addresses.',
      examples: ['ada'],
    }),
  channel: ways,
  environment: listOf('Names of environments', 'IS:production'),
  from: dayOf('The first day, in UTC, written `IS:YYYY-MM-DD`.', 'IS:2026-03-01'),
  to: dayOf('The last day, in UTC, written `IS:YYYY-MM-DD`.', 'IS:2026-03-31'),
};

/** All matching events. */
export const exportQuery = z.object(filters);

/** With `exactTotal=false`, a total is exact up to this number. */
const COUNT_UP_TO = 10_000;

/** A page of the matching events. */
export const searchQuery = exportQuery.extend({
  offset: startParam('The number of events to skip.'),
  limit: limitParam('events', { most: MAX_EVENTS, fallback: DEFAULT_LIMIT }),
  exactTotal: booleanParamOr(true).meta({
    description: `false: count up to ${COUNT_UP_TO} events only, which is faster. With more, \`total\` is ${COUNT_UP_TO} and \`totalIsAtLeast\` is true.`,
  }),
});

/** The query of the older list. */
export const listQuery = z.object({
  project: z
    .string()
    .max(MAX_TEXT_LENGTH)
    .optional()
    .meta({ description: 'Only events of the project with this id.', examples: ['shop'] }),
});

export function filterOf(query: z.output<typeof exportQuery>): EntryFilter {
  const { id, feature, project, type, createdBy, author, channel, environment, from, to } = query;
  return {
    text: query.query === '' ? undefined : query.query,
    ids: id,
    features: feature,
    projects: project,
    types: type,
    createdBy,
    ways: channel,
    author: author === '' ? undefined : author,
    environments: environment,
    from,
    until: to === undefined ? undefined : to + DAY_MS,
  };
}

export function pageOf({ offset, limit, exactTotal }: z.output<typeof searchQuery>): Page {
  return { offset, limit, ...(!exactTotal && { countUpTo: COUNT_UP_TO }) };
}
