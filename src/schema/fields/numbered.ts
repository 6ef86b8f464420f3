/** Integer ids: set in the spec, or assigned once in the status, and immutable from then on. */
import { z } from 'zod';
import type { RootRule } from '../../model/kind.ts';
import { effectiveCel } from './name-rules.ts';

/** Below the largest 32-bit integer, so that ids can still be assigned above it. */
const MAX_SPEC_ID = 2_000_000_000;

export function integerId(first: number) {
  return z
    .int()
    .min(first)
    .max(MAX_SPEC_ID)
    .optional()
    .meta({
      description: `The id in the API, at least ${first}. Absent: the operator assigns one, see status.id. Immutable once assigned.`,
    });
}

export const givenId = z
  .int()
  .min(1)
  .optional()
  .meta({ description: 'The id in the API: spec.id, or an id that the operator has assigned and never reuses.' });

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
