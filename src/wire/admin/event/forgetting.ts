/** The request that a person is forgotten in the history, and its answers. */
import { z } from 'zod';
import { wireNullableText } from '../fields.ts';

const MAX_EMAILS = 20;

const nameOf = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => text.isWellFormed(), { error: 'it has half of a surrogate pair' });

export const forgettingBody = z.strictObject({
  user: nameOf(253).meta({
    description: 'The username, the e-mail address or the Kubernetes user.',
    examples: ['ada'],
  }),
  emails: z
    .array(nameOf(254))
    .max(MAX_EMAILS)
    .default([])
    .meta({ description: 'Further names and addresses that the history may have.', examples: [['ada@example.com']] }),
  position: z
    .string()
    .max(4096)
    .optional()
    .meta({ description: 'The `next` of the answer before. Absent: the beginning.', examples: ['entries:2000'] }),
});

const counted = (what: string) =>
  z.int().meta({ description: `${what} named the person, in the part of this request.` });

const remainingObject = z
  .object({
    resource: z.string().meta({ description: 'The plural of the kind.' }),
    namespace: z.string(),
    name: z.string(),
    in: z.enum(['object', 'spec', 'annotations']).meta({
      description: '`object`: the FlagUser itself. Otherwise the part of the object that names the person.',
    }),
  })
  .meta({ id: 'RemainingObject' });

export const wireForgetting = z
  .object({
    pseudonym: wireNullableText.meta({
      description: 'What stands for the name now. Null in a dry run, and in the last answers.',
    }),
    next: wireNullableText.meta({ description: 'The `position` of the next request. Null: everything is done.' }),
    entries: counted('How many entries'),
    versions: counted('How many versions of objects'),
    events: counted('How many Kubernetes Events'),
    names: z
      .array(z.string())
      .meta({ description: 'What the person is called, as far as the history knows. Only in the first answer.' }),
    remains: z.object({
      objects: z.array(remainingObject).meta({
        description: 'The objects of the cluster that still name the person. Only in the first answer.',
      }),
      more: z.int().meta({ description: 'How many more there are.' }),
    }),
  })
  .meta({ id: 'Forgetting', description: 'What one request did.' });
