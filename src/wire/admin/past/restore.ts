/** The bodies of restores: what to restore, and what that changes. */
import { z } from 'zod';
import { pointInTime } from '../../../schema/fields/shapes.ts';
import { inGapParam } from '../../past-query.ts';
import { MAX_FLAGS } from '../flag/bulk-input.ts';
import { presentChanges, wireChanges } from './field-change.ts';

const shared = {
  at: pointInTime(
    'The time whose state is wanted: RFC 3339 with a zone, not in the future, and not before versions were kept.',
  ).meta({ examples: ['2026-03-01T14:03:00Z'] }),
  inGap: inGapParam,
};

const EXAMPLE = { at: '2026-03-01T14:03:00Z' };

export const restoreBody = z
  .strictObject({
    ...shared,
    uid: z.string().max(100).optional().meta({
      description:
        'The `metadata.uid` of the object that had the name at the time. Needed only if another object has the name now: it then gets that state.',
    }),
  })
  .meta({ id: 'RestoreFlag', examples: [EXAMPLE] });

export const restoreFlagsBody = z
  .strictObject({
    ...shared,
    features: z.array(z.string().max(100)).min(1).max(MAX_FLAGS).optional().meta({
      description:
        'The names of the flags. Absent: all flags that the project had at the time; those that it did not have then stay.',
    }),
  })
  .meta({ id: 'RestoreFlags', examples: [{ ...EXAMPLE, features: ['one-page-checkout'] }] });

export const wireRestoredFlag = z
  .object({
    name: z.string().meta({ examples: ['one-page-checkout'] }),
    action: z.enum(['create', 'change', 'none']).meta({
      description: '`create`: the flag is gone, and is made again. `none`: it is as it was.',
      examples: ['change'],
    }),
    ...wireChanges,
  })
  .meta({ id: 'RestoredFlag' });

export const wireRestoredFlags = z
  .object({
    flags: z.array(wireRestoredFlag).meta({
      description: 'The flags that change, sorted by name. Those that are as they were are left out.',
    }),
    stay: z.array(z.string()).meta({
      description: 'The flags that did not exist at the time: they stay as they are.',
      examples: [['dark-mode']],
    }),
    otherObjects: z.array(z.string()).meta({
      description:
        'The flags that are other objects than those that had their names at the time: they stay as they are. `POST …/features/{featureName}/restore` with `uid` restores one.',
      examples: [[]],
    }),
  })
  .meta({ id: 'RestoredFlags' });

interface Restored extends Pick<z.infer<typeof wireRestoredFlag>, 'name' | 'action'> {
  readonly changes: Parameters<typeof presentChanges>[0];
}

export function presentRestored({ name, action, changes }: Restored): z.infer<typeof wireRestoredFlag> {
  return { name, action, ...presentChanges(changes) };
}

/** What the history says of a restore: the time, then the words of the caller. */
export function restoreReason(at: string, said: string | undefined): string {
  const restored = `Restored to ${new Date(at).toISOString()}`;
  return said ? `${restored}: ${said}` : restored;
}
