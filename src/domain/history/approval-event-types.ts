/** The audit event types of change requests. */
import { changed, type EventType } from './event-type.ts';

export const approvalEventTypes = {
  'change-request-created': {
    note: ({ forTarget, named }) => `The change request ${named('name')}${forTarget} was made`,
    when: 'A ChangeRequest is new.',
    about: 'flagThere',
    data: 'the request, with the values that it asks for',
  },
  'change-request-cancelled': {
    note: ({ forTarget, named }) => `The change request ${named('name')}${forTarget} was withdrawn`,
    when: '`cancelled` became true.',
    about: 'flagThere',
    data: 'the request',
  },
  'change-request-expired': {
    note: ({ forTarget, named }) => `The change request ${named('name')}${forTarget} expired without the change`,
    byTime: true,
    when: 'The phase of the status became Expired.',
    about: 'flagThere',
    data: 'the request',
  },
  'change-request-outdated': {
    note: ({ forTarget, named }) =>
      `The change request ${named('name')}${forTarget} is outdated, because its target has changed`,
    byTime: true,
    when: 'The phase of the status became Outdated.',
    about: 'flagThere',
    data: 'the request',
  },
  'change-request-deleted': {
    note: ({ forTarget, named }) => `The change request ${named('name')}${forTarget} was deleted`,
    when: 'A ChangeRequest is gone.',
    about: 'flagThere',
    preData: 'the request',
  },
  'change-request-approval-added': {
    note: ({ forTarget }) => `A change request${forTarget} was approved`,
    when: 'A ChangeApproval is new. Whether it counts, its status says.',
    about: 'flagThere',
    data: 'the decision',
  },
  'change-request-rejected': {
    note: ({ forTarget }) => `A change request${forTarget} was rejected`,
    when: 'A ChangeApproval with `decision: Reject` is new.',
    about: 'flagThere',
    data: 'the decision',
  },
  'change-request-comment-added': {
    note: ({ forTarget }) => `A change request${forTarget} got a comment`,
    when: 'A ChangeApproval with `decision: Comment` is new.',
    about: 'flagThere',
    data: 'the comment',
  },
  'change-request-comment-removed': {
    note: ({ forTarget }) => `A comment on a change request${forTarget} was removed`,
    when: 'A ChangeApproval with `decision: Comment` is gone.',
    about: 'flagThere',
    preData: 'the comment',
  },
  'change-request-approval-changed': {
    note: ({ forTarget }) => `A decision on a change request${forTarget} was edited`,
    when: 'A ChangeApproval changed, which the policies of `config/admission` refuse.',
    about: 'flagThere',
    ...changed('the decision'),
  },
  'change-request-approval-removed': {
    note: ({ forTarget }) => `A decision on a change request${forTarget} was taken back`,
    when: 'A ChangeApproval that is no comment is gone.',
    about: 'flagThere',
    preData: 'the decision',
  },
  'change-request-applied': {
    note: ({ forTarget, named, subject }) =>
      `The change request ${subject}${forTarget}, approved by ${named('approvedBy')}, was applied`,
    when: 'A change used the grant of an approved request; after the events of the change.',
    about: 'flagThere',
    data: '`{request, author, approvedBy}`; `approvedBy` is text',
  },
} as const satisfies Readonly<Record<string, EventType>>;
