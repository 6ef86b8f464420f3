/** A field with its values before and after a change. */
import { z } from 'zod';
import { truncate } from '../../../model/text.ts';

const MAX_VALUE_LENGTH = 500;
/** Of one flag. */
const MAX_CHANGES = 50;

const value = (when: string) =>
  z
    .string()
    .optional()
    .meta({ description: `The value ${when} as JSON, cut to ${MAX_VALUE_LENGTH} characters. Absent: there was none.` });

const wireFieldChange = z
  .object({
    path: z.string().meta({ examples: ['spec.environments.production.enabled'] }),
    before: value('before').meta({ examples: ['true'] }),
    after: value('after').meta({ examples: ['false'] }),
  })
  .meta({ id: 'FieldChange' });

export const wireChanges = {
  changes: z
    .array(wireFieldChange)
    .meta({ description: `The fields that differ, at most ${MAX_CHANGES}. A list is one field.` }),
  moreChanges: z.int().meta({ description: 'How many more fields differ.', examples: [0] }),
};

interface ComparedField {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export function presentChanges(changes: readonly ComparedField[]) {
  return {
    changes: changes.slice(0, MAX_CHANGES).map(({ path, ...values }) => ({
      path,
      ...('before' in values && { before: shortJson(values.before) }),
      ...('after' in values && { after: shortJson(values.after) }),
    })),
    moreChanges: Math.max(0, changes.length - MAX_CHANGES),
  };
}

function shortJson(json: unknown): string {
  return truncate(JSON.stringify(json), MAX_VALUE_LENGTH);
}
