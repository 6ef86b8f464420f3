/** Ids that are whole numbers: pinned by the spec, or given once into the status, and then never another. */
import { z } from 'zod';
import type { RootRule } from './kind.ts';
import { effectiveCel } from './name-rules.ts';

/** So far below the largest 32-bit number that ids can still be given after the highest was pinned. */
const HIGHEST_PINNED = 2_000_000_000;

export function pinnedId(first: number) {
  return z
    .int()
    .min(first)
    .max(HIGHEST_PINNED)
    .optional()
    .meta({
      description: `The id on the wire, at least ${first}. Absent: the operator gives one, see status.id. Cannot change once it holds.`,
    });
}

export const givenId = z
  .int()
  .min(1)
  .optional()
  .meta({ description: 'The id on the wire: that of the spec, else one that was given once and is never used again.' });

const specId = effectiveCel('self', 'id', '0');
const statusId = (object: string) => `(has(${object}.status) && has(${object}.status.id) ? ${object}.status.id : 0)`;

export const idRules: readonly RootRule[] = [
  {
    rule: `${specId} == 0 || ${statusId('self')} == 0 || ${specId} == ${statusId('self')}`,
    message: 'spec.id must be status.id, since that id is in use: leave spec.id out, or create another object',
    fieldPath: '.spec.id',
  },
  {
    rule: `${statusId('self')} == 0 || ${statusId('oldSelf')} == 0 || ${statusId('self')} == ${statusId('oldSelf')}`,
    message: 'status.id cannot change once it is given',
    fieldPath: '.status.id',
  },
];
