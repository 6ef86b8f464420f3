/** Comments on a change request decide nothing, also those of the author and of people who approve. */
import { describe, expect, test } from 'vitest';
import { judgeApproval } from '../../../../src/domain/approval/judge-approval.ts';
import { judgeRequest } from '../../../../src/domain/approval/judge-request.ts';
import { decisionObject, environmentObject, flagObject, requestObject } from '../objects.ts';

const NOW = Date.UTC(2026, 0, 2);
const users = { userNamed: () => undefined, userBySubject: () => undefined };
const object = flagObject('shop/checkout', { environments: { production: { enabled: false } } });
const guarded = [environmentObject('home/production', { approvals: { required: 1 } })];
const request = requestObject('shop/checkout-1');

const approver = (name: string) => ({ approver: { kind: 'User', name } });
const aComment = (by: string, more: object = {}) =>
  decisionObject(`shop/by-${by}`, request, { ...approver(by), decision: 'Comment', comment: 'Why?', ...more });
const approval = decisionObject('shop/approval', request);

function phaseAfter(decisions: readonly ReturnType<typeof aComment>[]) {
  const target = { kind: 'FeatureFlag' as const, object };
  const { status } = judgeRequest({ request, target, guarded, decisions, users, obstacle: undefined }, NOW);
  return [status.phase, status.approvals];
}

describe('a request', () => {
  test('that people comment on waits, also with the environments of a decision in the comment', () => {
    expect(phaseAfter([aComment('bob'), aComment('ada'), aComment('cid', { environments: ['production'] })])).toEqual([
      'Pending',
      '0/1',
    ]);
  });

  test('is approved by a person who has commented before, or comments later', () => {
    expect(phaseAfter([aComment('bob'), approval, aComment('bob')])).toEqual(['Approved', '1/1']);
  });
});

test('a comment is ready without a right to approve and also by the author, unless its request is gone', () => {
  const judged = (one: typeof request | undefined) => {
    const context = { approval: aComment('ada'), request: one, guarded: ['production'], ownCounts: false, users };
    const { status } = judgeApproval({ ...context, refusal: undefined }, NOW);
    return status.conditions?.[0]?.status;
  };
  expect([judged(request), judged(undefined)]).toEqual(['True', 'False']);
});
