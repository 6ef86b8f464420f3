/** The owner and the last change of a field of a spec, on the wire. */
import { z } from 'zod';
import type { Entry } from '../../domain/history/entry.ts';
import { isKubectl, type ProtectableOwner } from '../../model/field-owner.ts';
import type { Ref } from '../../model/object.ts';
import { SPEC_MANAGER } from '../../schema/stamp.ts';
import { wireTime } from '../admin/timestamp.ts';

const wireFieldOwner = z
  .object({
    manager: z.string().meta({ description: 'The name of the field manager.', examples: ['kustomize-controller'] }),
    operation: z.enum(['Apply', 'Update']),
    kind: z.enum(['git', 'api', 'people', 'program']).meta({
      description: 'git: a protected manager. api: the admin API. people: kubectl. program: any other.',
    }),
  })
  .meta({ id: 'DecidingFieldOwner' });

export const wireFieldOrigin = z
  .object({
    kind: z.enum(['FeatureFlag', 'Segment']),
    namespace: z.string(),
    name: z.string().meta({ description: '`metadata.name` of the object that has the field.' }),
    path: z.string().meta({ examples: ['spec.environments.production.enabled'] }),
    owner: wireFieldOwner
      .nullable()
      .meta({ description: 'The field manager; a protected one before others. Null: no manager owns the field.' }),
    otherOwners: z.array(z.string()).meta({ description: 'The other managers that own the field.' }),
    lastChange: z
      .object({
        by: z.string().meta({ examples: ['ada@example.com'] }),
        at: wireTime,
        eventId: z.int().meta({ examples: [1001] }),
      })
      .nullable()
      .meta({
        description:
          'The newest event about the field that the caller may see. Null: the history is unavailable or has no such event.',
      }),
  })
  .meta({ id: 'FieldOrigin', description: 'A field that decided the result.' });
export type WireFieldOrigin = z.infer<typeof wireFieldOrigin>;

export interface FieldOrigin {
  readonly kind: WireFieldOrigin['kind'];
  readonly object: Ref;
  readonly path: string;
  readonly owners: readonly ProtectableOwner[];
  readonly lastChange: Entry | undefined;
}

export function presentFieldOrigin({ kind, object, path, owners, lastChange }: FieldOrigin): WireFieldOrigin {
  const [owner, ...others] = owners.toSorted((one, other) => Number(other.isProtected) - Number(one.isProtected));
  return {
    kind,
    namespace: object.namespace,
    name: object.name,
    path,
    owner: owner ? { manager: owner.manager, operation: owner.operation, kind: kindOf(owner) } : null,
    otherOwners: [...new Set(others.map(({ manager }) => manager))],
    lastChange: lastChange
      ? { by: lastChange.createdBy, at: new Date(lastChange.createdAt).toISOString(), eventId: lastChange.id }
      : null,
  };
}

function kindOf({ manager, isProtected }: ProtectableOwner): z.infer<typeof wireFieldOwner>['kind'] {
  if (isProtected) return 'git';
  if (manager === SPEC_MANAGER) return 'api';
  return isKubectl(manager) ? 'people' : 'program';
}
