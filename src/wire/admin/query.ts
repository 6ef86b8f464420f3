/** Query parameters that several endpoints take. */
import { z } from 'zod';

/** A switch: `true` or `false`. Anything else is refused rather than guessed at. */
export function booleanParamOr(absent: boolean) {
  return z
    .enum(['true', 'false'])
    .optional()
    .transform((text) => (text === undefined ? absent : text === 'true'));
}

/** A switch that is off unless it is `true`. */
export const booleanParam = booleanParamOr(false);

/** Parts of an answer that are left out unless they are asked for. */
export const includeParam = z.enum(['status']).optional().meta({
  description:
    '`status`: each flag has its desired and its effective state, as `GET …/features/{featureName}/status` answers them.',
});

/** A parameter that may occur any number of times. */
export const repeated = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((value) => (value === undefined ? [] : [value].flat()));

/** The values of `OPERATOR:VALUE,VALUE`, each once, without empty ones (docs/unleash-compatibility.md#event-search). */
export function valuesIn(text: string): readonly string[] {
  const values = text
    .slice(text.indexOf(':') + 1)
    .split(',')
    .map((value) => value.trim());
  return [...new Set(values)].filter((value) => value !== '');
}

/** The first ms of the day in `OPERATOR:YYYY-MM-DD`, in UTC; NaN if there is no such day. */
export function startOfDay(text: string): number {
  const day = text.slice(text.indexOf(':') + 1);
  const start = Date.parse(`${day}T00:00:00.000Z`);
  // JavaScript reads the 31st of a shorter month as a day of the next one.
  return Number.isNaN(start) || new Date(start).toISOString().slice(0, day.length) !== day ? Number.NaN : start;
}

/** A text that is not a whole number in the range counts as absent (docs/unleash-compatibility.md#event-search). */
function countOf(range: { readonly most: number; readonly fallback: number }, description: string) {
  return z
    .string()
    .optional()
    .transform((text) => {
      const count = Number(text);
      return Number.isSafeInteger(count) && count > 0 && count <= range.most ? count : range.fallback;
    })
    .meta({ description, examples: [`${range.fallback}`] });
}

/** Where a page begins: after that many members, or after a number. */
export function startParam(description: string) {
  const complaint = 'Any value but a whole number above 0 counts as 0.';
  return countOf({ most: Number.MAX_SAFE_INTEGER, fallback: 0 }, `${description} ${complaint}`);
}

/** How many members a page has at most. */
export function limitParam(members: string, range: { readonly most: number; readonly fallback: number }) {
  const { most, fallback } = range;
  const description = `The number of ${members} to answer, from 1 to ${most}. Any other value counts as ${fallback}.`;
  return countOf(range, description);
}

export const sortOrderParam = z.enum(['asc', 'desc']).optional();

/** The query parameters of every write. */
export const writeQuery = z.object({
  dryRun: booleanParam.meta({ description: 'true: answer as usual, but write nothing.' }),
  force: booleanParam.meta({
    description:
      'true: also write fields that a GitOps tool owns. The tool may revert them; the `Warning` header names them.',
  }),
  reason: z.string().max(200).optional().meta({
    description:
      'Why the change is made, in your words. The [history](history.md#who-how-and-why) and the Kubernetes Events of the change keep it.',
  }),
});

/** The query parameters of a write of one flag, which can ask for approval. */
export const askingQuery = z.object({
  changeRequest: booleanParam.meta({
    description:
      'true: if the change needs the [approval](approvals.md) of other people, ask for it: the answer is 202 with the change request.',
  }),
});

/** A whole number; refused if it is outside the range. */
export function wholeNumber(
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
