/** The audit events of change requests and of the decisions on them. */
import { isFoundEnd } from '../../domain/approval/request-life.ts';
import { environmentsNamed } from '../../domain/approval/target.ts';
import type { ChangeApproval } from '../../schema/change-approval.ts';
import type { ChangeRequest } from '../../schema/change-request.ts';
import { auditEvent, nowhere, type Place } from './audit-event.ts';
import type { EventMapping, Lifecycle } from './kind.ts';
import type { Shapes } from './shapes.ts';

const ofRequest = {
  created: 'change-request-created',
  updated: 'change-request-cancelled',
  deleted: 'change-request-deleted',
} as const;

const ofFoundEnd = { Expired: 'change-request-expired', Outdated: 'change-request-outdated' } as const;

export function requestMapping(shapes: Shapes): EventMapping<ChangeRequest> {
  const place = (request: ChangeRequest) => placeOf(shapes, request);
  return {
    types: () => ofRequest,
    place,
    placeByNames: () => nowhere,
    shape: shapes.changeRequest,
    // Every other field of the spec is immutable.
    changed: (before, after) => {
      const isWithdrawn = after.spec.cancelled === true && before.spec.cancelled !== true;
      const [was, is] = [before.status?.phase, after.status?.phase];
      const hasEnded = isFoundEnd(is) && is !== was;
      const shown = { subject: after.metadata.name, data: shapes.changeRequest(after) };
      const types = [...(isWithdrawn ? [ofRequest.updated] : []), ...(hasEnded ? [ofFoundEnd[is]] : [])];
      return types.map((type) => auditEvent(type, place(after), shown));
    },
  };
}

export function approvalMapping(shapes: Shapes): EventMapping<ChangeApproval> {
  return {
    types: approvalLifecycle,
    place: (approval) => {
      const request = shapes.requestOf(approval);
      return request ? placeOf(shapes, request) : nowhere;
    },
    placeByNames: () => nowhere,
    shape: shapes.changeApproval,
  };
}

function approvalLifecycle({ spec }: ChangeApproval): Lifecycle {
  const updated = 'change-request-approval-changed';
  if (spec.decision === 'Comment')
    return { created: 'change-request-comment-added', updated, deleted: 'change-request-comment-removed' };
  const created = spec.decision === 'Reject' ? 'change-request-rejected' : 'change-request-approval-added';
  return { created, updated, deleted: 'change-request-approval-removed' };
}

/** The environment if there is one, as the history has one for each entry. */
function placeOf({ targetOf }: Shapes, request: ChangeRequest): Place {
  const [environment = null, ...others] = environmentsNamed(request.spec);
  return { ...nowhere, environment: others.length > 0 ? null : environment, ...targetOf(request) };
}
