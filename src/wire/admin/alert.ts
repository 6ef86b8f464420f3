/** The answer of POST /alerts. */
import { z } from 'zod';
import { wireNullableText } from './fields.ts';

const nullable = (description: string, example: string) => wireNullableText.meta({ description, examples: [example] });

const wireAlertOutcome = z.object({
  alert: z.string().meta({ description: 'The name of the alert.', examples: ['CheckoutErrors'] }),
  fingerprint: z.string().meta({ examples: ['1a30ba71cca2921f'] }),
  flag: nullable('Null: the alert names none.', 'one-page-checkout'),
  environment: nullable('Null: the alert names none.', 'production'),
  outcome: z.enum(['done', 'already', 'ignored', 'refused']).meta({
    description:
      'done: the alert changed the flag. already: the flag already was as the alert wants it, or the alert has acted before. ignored: the alert asks for nothing that applies. refused: see `error`.',
  }),
  reason: z.string().meta({ examples: ['The flag is switched off.'] }),
  error: z
    .object({
      status: z
        .int()
        .meta({ description: 'The status that a request for this alert alone would have.', examples: [409] }),
      name: z.string().meta({ examples: ['FieldManagedError'] }),
    })
    .optional()
    .meta({ description: 'The reason of the refusal. Absent: the alert was not refused.' }),
});

/** The outcomes in the order of the alerts. */
export const wireAlertOutcomes = z
  .object({ alerts: z.array(wireAlertOutcome) })
  .meta({ id: 'AlertOutcomes', description: 'The result of each alert, in the order of the request.' });
export type WireAlertOutcome = z.infer<typeof wireAlertOutcome>;
