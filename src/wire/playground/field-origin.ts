/** Who holds a field of a spec and who changed it last, on the wire. */
import { z } from 'zod';
import type { Entry } from '../../domain/history/entry.ts';
import type { ProtectableOwner } from '../../model/field-owner.ts';
import type { Ref } from '../../model/object.ts';
import { SPEC_MANAGER } from '../../schema/stamp.ts';
import { wireTime } from '../admin/timestamp.ts';

const wireHolder = z
  .object({
    manager: z.string().meta({ description: 'The program, as it calls itself.', examples: ['kustomize-controller'] }),
    operation: z.enum(['Apply', 'Update']),
    kind: z.enum(['git', 'api', 'people', 'program']).meta({
      description: 'git: a protected manager. api: the admin API. people: kubectl. program: any other.',
    }),
  })
  .meta({ id: 'FieldHolder' });

export const wireFieldOrigin = z
  .object({
    kind: z.enum(['FeatureFlag', 'Segment']),
    namespace: z.string(),
    name: z.string().meta({ description: '`metadata.name` of the object that has the field.' }),
    path: z.string().meta({ examples: ['spec.environments.production.enabled'] }),
    holder: wireHolder.nullable().meta({ description: 'A protected manager before others. Null: no manager has it.' }),
    sharedWith: z.array(z.string()).meta({ description: 'Further managers that have it.' }),
    lastChange: z
      .object({
        by: z.string().meta({ examples: ['ada@example.com'] }),
        at: wireTime,
        eventId: z.int().meta({ examples: [1001] }),
      })
      .nullable()
      .meta({
        description: 'In the history, as far as the caller may see it. Null: the history is away or has no such entry.',
      }),
  })
  .meta({ id: 'FieldOrigin', description: 'A field that decided.' });
export type WireFieldOrigin = z.infer<typeof wireFieldOrigin>;

export interface FieldOrigin {
  readonly kind: WireFieldOrigin['kind'];
  readonly object: Ref;
  readonly path: string;
  readonly owners: readonly ProtectableOwner[];
  readonly lastChange: Entry | undefined;
}

export function presentFieldOrigin({ kind, object, path, owners, lastChange }: FieldOrigin): WireFieldOrigin {
  const [holder, ...others] = owners.toSorted((one, other) => Number(other.isProtected) - Number(one.isProtected));
  return {
    kind,
    namespace: object.namespace,
    name: object.name,
    path,
    holder: holder ? { manager: holder.manager, operation: holder.operation, kind: kindOf(holder) } : null,
    sharedWith: [...new Set(others.map(({ manager }) => manager))],
    lastChange: lastChange
      ? { by: lastChange.createdBy, at: new Date(lastChange.createdAt).toISOString(), eventId: lastChange.id }
      : null,
  };
}

function kindOf({ manager, isProtected }: ProtectableOwner): z.infer<typeof wireHolder>['kind'] {
  if (isProtected) return 'git';
  if (manager === SPEC_MANAGER) return 'api';
  return manager.startsWith('kubectl') ? 'people' : 'program';
}
