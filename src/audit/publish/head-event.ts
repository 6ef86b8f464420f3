/** The Kubernetes Event of a signed head. */
import { hash } from 'node:crypto';
import type { SignedHead } from '../../domain/history/signed-head.ts';
import { eventNameOf, type NewEvent } from '../../kube/api/events.ts';
import { GROUP } from '../../model/kind.ts';
import type { Ref } from '../../model/object.ts';
import { AUDIT_LABEL, AUDIT_LABEL_VALUE } from './event.ts';

/** The signed head as JSON. */
const HEAD = `${GROUP}/audit-head`;
const NAME_DIGITS = 16;

/** About the Lease of the operator, in its namespace. */
export function headEventOf(head: SignedHead, lease: Ref, instance: string): NewEvent {
  const { n, link, at, key } = head;
  return {
    namespace: lease.namespace,
    name: eventNameOf(lease.name, hash('sha256', `${n}:${link}`).slice(0, NAME_DIGITS)),
    labels: { [AUDIT_LABEL]: AUDIT_LABEL_VALUE },
    annotations: { [HEAD]: JSON.stringify(head) },
    at,
    type: 'Normal',
    reason: 'HistoryHeadSigned',
    note: `The chain of the history has reached ${n}:${link}, signed with key ${key}`,
    regarding: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease },
    instance,
  };
}
