/** The shapes of OFREP 0.3.0, for the API document. */
import { z } from 'zod';

export const ofrepEvaluation = z
  .object({
    key: z.string().meta({ description: 'The name of the flag.' }),
    reason: z.enum(['STATIC', 'TARGETING_MATCH', 'SPLIT']),
    variant: z.string().meta({ description: 'The name of the variant. Without one: `enabled` or `disabled`.' }),
    value: z.unknown().optional().meta({
      description: 'A boolean, or the payload of the variant. Absent: the application uses its default.',
    }),
    metadata: z.object({
      enabled: z.boolean().meta({ description: 'Whether the flag is on for the context.' }),
      environment: z.string(),
      project: z.string(),
      stale: z.boolean(),
      flagSetId: z.string().meta({ description: 'PROJECT/ENVIRONMENT.' }),
      version: z.string().meta({ description: 'Another one after each change of the flag as SDKs read it.' }),
    }),
  })
  .meta({ id: 'OfrepEvaluation', description: 'The value of a flag for one context.' });

export const ofrepEvaluations = z
  .object({
    flags: z.array(ofrepEvaluation),
    eventStreams: z
      .array(z.object({ type: z.literal('sse'), endpoint: z.object({ requestUri: z.string() }) }))
      .optional()
      .meta({
        description:
          'One stream that says when to ask again. Open it within an hour. Absent: this replica has reached its limit of streams.',
      }),
  })
  .meta({ id: 'OfrepEvaluations', description: 'The values of all flags for one context, by name.' });

export const ofrepEvaluationsQuery = z.object({
  flagConfigEtag: z.string().optional().meta({
    description:
      'The `etag` of the event that caused this request. A replica that has not sent this event waits a moment.',
  }),
  flagConfigLastModified: z.string().optional().meta({ description: 'Ignored.' }),
});

export const eventStreamQuery = z.object({
  key: z.string().meta({
    description: 'The `key` in the stream address that an answer for all flags contains.',
    examples: ['0FNgPKFw…'],
  }),
});

export type Reason = z.infer<typeof ofrepEvaluation>['reason'];

/** The members that OFREP adds to the body of an error. */
export const ofrepErrorMembers = z.object({
  key: z.string().optional().meta({ description: 'The name of the flag, if the path has one.' }),
  errorCode: z.enum(['PARSE_ERROR', 'INVALID_CONTEXT', 'FLAG_NOT_FOUND', 'GENERAL']),
  errorDetails: z.string().meta({ description: 'The same as message.' }),
});
