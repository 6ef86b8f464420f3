/** The derivation of the operator with the real shapes, and with some users. */
import { createDerivation } from '../../../../src/audit/derive/derive.ts';
import { historyShapes } from '../../../../src/audit/derive/shapes.ts';
import { createCatalog } from '../../../../src/catalog/catalog.ts';
import type { AuditEvent } from '../../../../src/domain/history/entry.ts';
import { auditMappings } from '../../../../src/kinds/registry.ts';
import type { CustomObject } from '../../../../src/model/object.ts';
import { aWorld } from '../../catalog/world.ts';
import { CREATED } from '../../domain/objects.ts';

type AnyObject = CustomObject<unknown, unknown>;

const world = aWorld();
world.user('home/ada', { email: 'ada@example.com', subjects: [{ kind: 'User', name: 'ada-k8s' }] }, given(7));
world.user('home/bob', {}, given(8));
world.role('home/tester', { name: 'Tester' }, given(6));
world.segment('home/vip', {}, given(3));
world.role('home/auditor', { type: 'root' }, given(9));

function given(id: number) {
  return { status: { id } };
}

export const catalog = createCatalog(world.caches, () => Date.parse(CREATED), { home: 'home' });
export const { derive } = createDerivation(auditMappings(historyShapes(catalog)), catalog.isDormant);

/** `type`, with the environment and the subject if there are any. */
export function inShort({ type, environment, subject }: AuditEvent): string {
  return [type, environment && `in ${environment}`, subject].filter(Boolean).join(' ');
}

export function auditEventsOf(resource: string) {
  return {
    created: (after: AnyObject) => derive({ resource, after }),
    changed: (before: AnyObject, after: AnyObject) => derive({ resource, before, after }),
    deleted: (before: AnyObject) => derive({ resource, before }),
  };
}
