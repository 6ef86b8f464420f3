/** The context for which flags are evaluated, in the forms of requests. */
import { z } from 'zod';
import { isRecord } from '../../model/json.ts';
import { pointInTime } from '../../schema/fields/shapes.ts';
import { inGapParam } from '../past-query.ts';

/** Constraints read each value once for each flag, so callers must not be able to make this expensive. */
const MAX_CONTEXT_VALUES = 200;
const MAX_CONTEXT_LENGTH = 2000;

const tooMany = `it has more than ${MAX_CONTEXT_VALUES} values`;
const tooLong = `a value, with its name, has more than ${MAX_CONTEXT_LENGTH} characters`;

const bounds = `Refused if ${tooMany}, or ${tooLong}.`;

type ContextFields = Readonly<Record<string, unknown>>;

function refuseLarge(given: ContextFields, refuse: z.core.$RefinementCtx): void {
  const { properties } = given;
  const entries = [...Object.entries(given), ...Object.entries(isRecord(properties) ? properties : {})];
  if (entries.length > MAX_CONTEXT_VALUES) {
    refuse.addIssue({ code: 'custom', message: tooMany, input: entries.length });
  }
  const [long] = entries.find(([name, value]) => name.length + lengthOf(value) > MAX_CONTEXT_LENGTH) ?? [];
  if (long !== undefined) {
    refuse.addIssue({ code: 'custom', message: tooLong, input: long });
  }
}

/** Only text can be long. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

const text = z.string().optional();

export const contextQuery = z
  .object({
    userId: text.meta({ description: 'The user.' }),
    sessionId: text.meta({ description: 'The session. Absent: a random one.' }),
    remoteAddress: text.meta({ description: 'The address of the user. Absent: that of the caller.' }),
    appName: text.meta({ description: 'The application.' }),
    currentTime: text.meta({ description: 'The time, in ISO 8601. Absent: now.' }),
    environment: text.meta({
      description:
        'The environment, only with `VEXIL_AUTH=none`. Absent: the first in order. In all other cases, the environment is that of the token.',
    }),
  })
  .catchall(z.string())
  .superRefine(refuseLarge);

const PROPERTY = /^properties\[(.+)\]$/s;

/** Properties are `properties[name]=value`; any other unknown name is one too. */
export function contextOfQuery(query: Readonly<Record<string, string | undefined>>): ContextFields {
  const entries = Object.entries(query);
  const properties = entries.flatMap(([name, value]) => {
    const [, property] = PROPERTY.exec(name) ?? [];
    return property === undefined ? [] : [[property, value] as const];
  });
  return {
    ...Object.fromEntries(entries.filter(([name]) => !PROPERTY.test(name))),
    properties: Object.fromEntries(properties),
  };
}

export const givenContext = z
  .looseObject({})
  .superRefine(refuseLarge)
  .meta({
    description: `Texts, numbers and booleans, also within \`properties\`; other values are ignored. ${bounds}`,
  });

/** The body of a browser; also in the shape of OFREP. */
export const contextBody = z.object({ context: givenContext.optional() });

const noDefault = (what: string) => text.meta({ description: `${what} Absent: none.` });

/** The time at which a person evaluates a flag. */
export const evaluationTime = pointInTime(
  'Evaluate for this time: RFC 3339 with a zone. Windows and ramps have the state that the present spec gives them at this time. This time is also the default of `currentTime` in the context. Absent: now.',
).meta({ examples: ['2026-12-01T08:00:00+01:00'] });

/** As `evaluationTime`, for flags whose past is known. */
export const pastOrFutureTime = pointInTime(
  'Evaluate for this time: RFC 3339 with a zone. A past time has the flags as they were then ([docs/history.md](history.md#any-moment)); a future time has the present flags, with windows and ramps as they are then. This time is also the default of `currentTime` in the context. Absent: now.',
).meta({ examples: ['2026-12-01T08:00:00+01:00'] });

/** The query of a person who requests an explanation. Nothing is taken from the caller, who is not the user. */
export const evaluateQuery = z
  .object({
    environment: text.meta({
      description: 'The environment. Absent: the first one of the project.',
      examples: ['production'],
    }),
    userId: noDefault('The user.').meta({ examples: ['ada'] }),
    sessionId: noDefault('The session.'),
    remoteAddress: noDefault('The address of the user.'),
    appName: noDefault('The application.'),
    currentTime: text.meta({
      description: 'The time for constraints, in ISO 8601. Absent: the time in `at`.',
    }),
    at: pastOrFutureTime.optional(),
    inGap: inGapParam,
  })
  .catchall(z.string())
  .superRefine(refuseLarge);

export interface ContextDefaults {
  readonly environment: string;
  /** The address of the caller. */
  readonly from: string | undefined;
  readonly newSessionId: () => string;
}

/** Adds what the caller leaves out; the environment is that of the token. */
export function completeContext(
  given: ContextFields,
  { environment, from, newSessionId }: ContextDefaults,
): ContextFields {
  return {
    ...given,
    environment,
    remoteAddress: given['remoteAddress'] ?? from,
    sessionId: given['sessionId'] || newSessionId(),
  };
}
