/** The states of change requests and of decisions on them. */
import { aChangeApproval, aChangeRequest, aFlag, anEnvironment, type Manifest } from '../builders.ts';
import type { Prospect, State } from './state.ts';

type ApprovalReason =
  | 'TargetNotFound'
  | 'ApprovalMissing'
  | 'AppliesLater'
  | 'OwnerMustApply'
  | 'ChangeRejected'
  | 'ChangeCancelled'
  | 'ChangeExpired'
  | 'ChangeOutdated'
  | 'NoApprovalNeeded'
  | 'EnvironmentsLeftOut'
  | 'ChangeTooLarge'
  | 'RequestNotFound'
  | 'ApproverNotEntitled';

export function approvalStates(home: string): Readonly<Record<ApprovalReason, readonly State[]>> {
  const guarded = anEnvironment(`${home}/guarded`, { approvals: { required: 2 } });
  const on = { enabled: true, strategies: { all: { name: 'default' } } };
  const environments = { guarded: on };
  const asked = (name: string, spec: Parameters<typeof aChangeRequest>[2] = {}) => [
    guarded,
    aFlag(`${home}/of-${name}`),
    aChangeRequest(`${home}/${name}`, `of-${name}`, { environments, ...spec }),
  ];
  const request = (prospect: Prospect, objects: readonly Manifest[]) => [
    { what: 'a change request', prospect, objects },
  ];
  const later = (prospect: Prospect, name: string): readonly State[] => [
    {
      what: 'a change request',
      prospect,
      objects: asked(name),
      finding: { severity: 'Error', path: ['environments'] },
    },
  ];
  return {
    TargetNotFound: request('waits', [aChangeRequest(`${home}/no-flag`, 'nothing')]),
    ApprovalMissing: request('waits', asked('asks')),
    AppliesLater: later('waits', 'asks-for-later'),
    OwnerMustApply: later('waits', 'asks-an-owner'),
    ChangeRejected: later('failed', 'rejected'),
    ChangeCancelled: request('failed', asked('cancelled', { cancelled: true })),
    ChangeExpired: request('failed', asked('expired', { expiresAt: '2020-01-01T00:00:00Z' })),
    ChangeOutdated: request(
      'failed',
      asked('outdated', { target: { kind: 'FeatureFlag', name: 'of-outdated', generation: 99 } }),
    ),
    NoApprovalNeeded: request('failed', asked('unguarded', { environments: { production: on } })),
    EnvironmentsLeftOut: request('failed', [
      guarded,
      aFlag(`${home}/of-left-out`, { environments: { production: on } }),
      aChangeRequest(`${home}/left-out`, 'of-left-out', { environments: { guarded: on }, archived: true }),
    ]),
    ChangeTooLarge: later('failed', 'too-large'),
    RequestNotFound: [
      {
        what: 'a decision',
        prospect: 'failed',
        objects: [aChangeApproval(`${home}/of-no-request`, { name: 'nothing', uid: 'x' })],
      },
    ],
    ApproverNotEntitled: [
      {
        what: 'a decision',
        prospect: 'failed',
        objects: [aChangeApproval(`${home}/not-entitled`, { name: 'nothing', uid: 'y' })],
        finding: { severity: 'Error', path: ['approver'] },
      },
    ],
  };
}
