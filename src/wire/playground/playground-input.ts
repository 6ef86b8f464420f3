/** The bodies of requests to the playground. */
import { z } from 'zod';
import { invalid } from '../../model/invalid-input.ts';
import { isRecord } from '../../model/json.ts';
import { booleanParam } from '../admin/query.ts';
import { givenContext, pastOrFutureTime } from '../client/context.ts';
import { inGapParam } from '../past-query.ts';

/** The limit in one request: flags times environments times contexts. */
export const MAX_EVALUATIONS = 20_000;
/** The limit of environments times contexts. */
export const MAX_COMBINATIONS = 100;
const MAX_PROJECTS = 500;
const MAX_ENVIRONMENTS = 30;
/** The number of flags whose fields have owners in the answer. */
export const MAX_EXPLAINED = 20;

const projects = z
  .union([z.literal('*'), z.array(z.string()).min(1).max(MAX_PROJECTS)], { message: 'must be "*" or a list of ids' })
  .optional()
  .meta({
    description: 'Ids of projects. `*` or absent: all projects. Projects that the caller may not read have no flags.',
  });

const environmentName = (description: string) =>
  z
    .string()
    .min(1)
    .meta({ description, examples: ['production'] });

const body = { projects, context: givenContext, at: pastOrFutureTime.optional() };

export const playgroundBody = z.object({ environment: environmentName('The environment.'), ...body }).meta({
  id: 'PlaygroundRequest',
  description: 'Unknown properties are dropped.',
  examples: [
    { environment: 'production', projects: ['shop'], context: { userId: 'ada', properties: { region: 'eu' } } },
  ],
});

export const advancedBody = z
  .object({
    environments: z.array(environmentName('An environment.')).min(1).max(MAX_ENVIRONMENTS),
    ...body,
  })
  .meta({
    id: 'AdvancedPlaygroundRequest',
    description: `A text in the context is split at its commas; \\, is a comma. Vexil evaluates all combinations of environments and contexts, at most ${MAX_COMBINATIONS}. Unknown properties are dropped.`,
    examples: [{ environments: ['development', 'production'], projects: '*', context: { userId: 'ada,lin' } }],
  });

export const playgroundQuery = z.object({
  explain: booleanParam.meta({
    description: `true: the first ${MAX_EXPLAINED} flags, by name, have the fields that decided, with their owners and last changes.`,
  }),
  inGap: inGapParam,
});

type PlaygroundFields = Readonly<Record<string, unknown>>;

/** Each combination of the values separated by commas. Throws if there are too many. */
export function contextsOf(given: PlaygroundFields, environments: number): readonly PlaygroundFields[] {
  const { properties, ...fields } = given;
  const named = [
    ...Object.entries(isRecord(properties) ? properties : {}).map(
      ([name, value]) => ['properties', name, value] as const,
    ),
    ...Object.entries(fields).map(([name, value]) => ['fields', name, value] as const),
  ];
  const choices = named.map(([part, name, value]) => ({ part, name, values: valuesOf(value) }));
  const count = choices.reduce((product, { values }) => product * values.length, environments);
  if (count > MAX_COMBINATIONS) throw tooMany(`${count} combinations of environments and contexts`, MAX_COMBINATIONS);
  return choices
    .reduce<readonly Combination[]>(
      (all, { part, name, values }) =>
        all.flatMap((one) => values.map((value) => ({ ...one, [part]: { ...one[part], [name]: value } }))),
      [{ fields: {}, properties: {} }],
    )
    .map((one) => ({ ...one.fields, properties: one.properties }));
}

interface Combination {
  readonly fields: PlaygroundFields;
  readonly properties: PlaygroundFields;
}

/** The values, each once. */
function valuesOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'string') return [value];
  const parts = value.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ',').trim());
  return [...new Set(parts)];
}

export function refuseMany(flags: number, combinations: number): void {
  const count = flags * combinations;
  if (count > MAX_EVALUATIONS) throw tooMany(`${count} evaluations`, MAX_EVALUATIONS);
}

function tooMany(what: string, most: number) {
  const complaint = `asks for ${what}, and one request may ask for ${most}. Name fewer projects, environments or values.`;
  return invalid([{ part: 'body', keys: ['context'], complaint }]);
}

/** A context with one level, as the values count. */
export function flatContext({ properties, ...fields }: PlaygroundFields): PlaygroundFields {
  return { ...(isRecord(properties) ? properties : {}), ...fields };
}
