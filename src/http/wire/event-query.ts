/** What a search in the history asks for. */
import { z } from 'zod';
import type { EntryFilter, Page } from '../../audit/entry.ts';
import { countOf, valuesIn } from './query.ts';

const MOST_VALUES = 100;
/** So many of the longest names, with commas. */
const LONGEST_LIST = 10_000;
const LONGEST_TEXT = 1000;
const DAY_MS = 86_400_000;

const USUAL_LIMIT = 50;
/** Specification, "Limits". */
export const MOST_EVENTS = 1000;

/** The same texts as `^(IS|IS_ANY_OF):(.*?)(,([a-zA-Z0-9_]+))*$` in the specification, in time that grows with their length only. */
const LIST = /^(IS|IS_ANY_OF):.*$/;
const DAY = /^(IS):\d{4}-\d{2}-\d{2}$/;
/** Few enough digits for a number that is exact. */
const USER_ID = /^-?\d{1,15}$/;

const listText = z
  .string()
  .max(LONGEST_LIST, { abort: true })
  .regex(LIST, {
    error: 'must be IS:VALUE or IS_ANY_OF:VALUE,VALUE, with any number of values in one line',
    abort: true,
  })
  .refine((text) => valuesIn(text).length <= MOST_VALUES, { error: `it names more than ${MOST_VALUES} values` });

/** No value is as good as no parameter. */
function presentOnly<T>(values: readonly T[] | undefined): readonly T[] | undefined {
  return values?.length === 0 ? undefined : values;
}

function listOf(what: string, example: string) {
  return listText
    .optional()
    .transform((text) => presentOnly(text === undefined ? undefined : valuesIn(text)))
    .meta({
      description: `${what}, written \`IS:VALUE\` or \`IS_ANY_OF:VALUE,VALUE\`: any of up to ${MOST_VALUES} values, as it is.`,
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
      'Who did it: ids of users, written as in `feature`; -42 is an admin token, -1 whoever is no user of Vexil, -1337 Vexil itself.',
    examples: ['IS_ANY_OF:7,-42'],
  });

/** Its first ms; NaN: there is no such day. */
function startOf(text: string): number {
  const day = text.slice('IS:'.length);
  const start = Date.parse(`${day}T00:00:00.000Z`);
  // What is too many days for a month is read as one of the next.
  return Number.isNaN(start) || new Date(start).toISOString().slice(0, day.length) !== day ? Number.NaN : start;
}

function dayOf(description: string, example: string) {
  return z
    .string()
    .regex(DAY, { error: 'must be IS:YYYY-MM-DD', abort: true })
    .refine((text) => !Number.isNaN(startOf(text)), { error: 'there is no such day' })
    .transform(startOf)
    .optional()
    .meta({ description, examples: [example] });
}

const filters = {
  query: z
    .string()
    .max(LONGEST_TEXT)
    .optional()
    .meta({
      description:
        'What data, preData or tags contain as JSON text, whatever its case. No character means anything but itself. Masked parts of addresses are not found.',
      examples: ['checkout'],
    }),
  feature: listOf('Names of flags', 'IS_ANY_OF:one-page-checkout,dark-mode'),
  project: listOf('Ids of projects', 'IS:shop'),
  type: listOf('Types of events', 'IS:feature-created'),
  createdBy: userIds,
  environment: listOf('Names of environments', 'IS:production'),
  from: dayOf('The first day, in UTC, written `IS:YYYY-MM-DD`.', 'IS:2026-03-01'),
  to: dayOf('The last day, in UTC, written `IS:YYYY-MM-DD`.', 'IS:2026-03-31'),
};

/** All that match. */
export const exportQuery = z.object(filters);

/** A page of them. */
export const searchQuery = exportQuery.extend({
  offset: countOf(
    { most: Number.MAX_SAFE_INTEGER, usual: 0 },
    'How many to skip. What is no whole number above 0 counts as 0.',
  ),
  limit: countOf(
    { most: MOST_EVENTS, usual: USUAL_LIMIT },
    `How many to answer, from 1 to ${MOST_EVENTS}. Anything else counts as ${USUAL_LIMIT}.`,
  ),
});

/** The older list. */
export const listQuery = z.object({
  project: z
    .string()
    .max(LONGEST_TEXT)
    .optional()
    .meta({ description: 'The id of the only project to tell of.', examples: ['shop'] }),
});

export function filterOf(query: z.output<typeof exportQuery>): EntryFilter {
  const { feature, project, type, createdBy, environment, from, to } = query;
  return {
    text: query.query === '' ? undefined : query.query,
    features: feature,
    projects: project,
    types: type,
    createdBy,
    environments: environment,
    from,
    until: to === undefined ? undefined : to + DAY_MS,
  };
}

export function pageOf({ offset, limit }: z.output<typeof searchQuery>): Page {
  return { offset, limit };
}
