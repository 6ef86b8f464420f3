/** Query parameters that several endpoints take. */
import { z } from 'zod';

/** A switch: `true` or `false`; absent: false. Anything else is refused rather than guessed at. */
export const flag = z
  .enum(['true', 'false'])
  .optional()
  .transform((text) => text === 'true');

/** A parameter that may stand any number of times. */
export const repeated = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((value) => (value === undefined ? [] : [value].flat()));

/** Of `OPERATOR:VALUE,VALUE` what follows the first colon, each once, without what is empty (facts §1). */
export function valuesIn(text: string): readonly string[] {
  const values = text
    .slice(text.indexOf(':') + 1)
    .split(',')
    .map((value) => value.trim());
  return [...new Set(values)].filter((value) => value !== '');
}

/** What is no whole number in the range counts as absent (facts §1). */
export function countOf(range: { readonly most: number; readonly usual: number }, description: string) {
  return z
    .string()
    .optional()
    .transform((text) => {
      const count = Number(text);
      return Number.isSafeInteger(count) && count > 0 && count <= range.most ? count : range.usual;
    })
    .meta({ description, examples: [`${range.usual}`] });
}

/** What every write takes. */
export const writeQuery = z.object({
  dryRun: flag.meta({ description: 'true: answer as if, and write nothing.' }),
  force: flag.meta({
    description:
      'true: write fields that a GitOps tool holds, too. It may set them back; the header Warning of the answer names them.',
  }),
});
