/**
 * The types of audit events: one entry per type, from which Events, the wire format and the reference page are made.
 */

import { approvalEventTypes } from './approval-event-types.ts';
import { changed, type EventType } from './event-type.ts';
import { rolloutEventTypes } from './rollout-event-types.ts';
import { sinkEventTypes } from './sink-event-types.ts';

const table = {
  'feature-created': {
    note: ({ flag, inProject }) => `Flag ${flag} was created${inProject}`,
    label: 'Flag created',
    summary: ({ flag, inProject }) => `created ${flag}${inProject}`,
    when: 'A FeatureFlag is new. What it begins with follows: a `feature-strategy-add` for each strategy, a `feature-environment-enabled` for each environment where it is on.',
    about: 'flag',
    data: 'the flag',
  },
  'feature-deleted': {
    note: ({ flag, fromProject }) => `Flag ${flag} was deleted${fromProject}`,
    label: 'Flag deleted',
    summary: ({ flag, inProject }) => `deleted ${flag}${inProject}`,
    when: 'A FeatureFlag is gone.',
    about: 'flag',
    preData: 'the flag',
  },
  'feature-updated': {
    note: ({ flag }) => `Flag ${flag} was edited`,
    when: 'A spec changed in a way that no other type shows: a default is written out, an archived flag is switched, a switch is on where no strategy is.',
    about: 'flag',
    ...changed('the flag, with `spec` as it is written'),
  },
  'feature-metadata-updated': {
    note: ({ flag, edited }) => `Flag ${flag} was edited (${edited})`,
    label: 'Flag metadata updated',
    summary: ({ flag, inProject }) => `updated ${flag} metadata${inProject}`,
    when: 'The metadata of the flag changed: its description, its type, or another field that a PUT of the flag replaces.',
    about: 'flag',
    ...changed('the flag'),
  },
  'feature-variants-updated': {
    note: ({ flag }) => `The variants of flag ${flag} were changed`,
    when: 'The variants of the flag changed.',
    about: 'flag',
    ...changed('`{variants}`'),
  },
  'feature-environment-variants-updated': {
    note: ({ flag, forEnvironment }) => `The variants of flag ${flag} were changed ${forEnvironment}`,
    label: 'Flag variants updated',
    summary: ({ flag, inProject, forEnvironment }) => `updated variants for ${flag}${forEnvironment}${inProject}`,
    when: 'An environment got variants of its own, has others, or goes back to those of the flag (unless these change at the same time: then `feature-variants-updated` is for both).',
    about: 'flagThere',
    data: '`{variants}` that hold there',
    preData: '`{variants}` that held there',
  },
  'feature-archived': {
    note: ({ flag }) => `Flag ${flag} was archived`,
    label: 'Flag archived',
    summary: ({ flag, inProject }) => `archived ${flag}${inProject}`,
    when: '`archived` became true. The flag is then off everywhere, which is not recorded for each environment.',
    about: 'flag',
  },
  'feature-revived': {
    note: ({ flag }) => `Flag ${flag} was revived`,
    label: 'Flag revived',
    summary: ({ flag, inProject }) => `revived ${flag}${inProject}`,
    when: '`archived` is not true any more.',
    about: 'flag',
  },
  'feature-tagged': {
    note: ({ flag, subject }) => `Flag ${flag} was tagged with ${subject}`,
    label: 'Flag tagged',
    summary: ({ flag, inProject, tag }) => `tagged ${flag} with ${tag}${inProject}`,
    when: 'A tag is new.',
    about: 'flag',
    data: '`{type, value}`',
  },
  'feature-untagged': {
    note: ({ flag, subject }) => `The tag ${subject} was taken off flag ${flag}`,
    label: 'Flag untagged',
    summary: ({ flag, inProject, tag }) => `untagged ${flag} with ${tag}${inProject}`,
    when: 'A tag is gone.',
    about: 'flag',
    preData: '`{type, value}`',
  },
  'feature-dependency-added': {
    note: ({ flag, subject }) => `Flag ${flag} was made to depend on ${subject}`,
    label: 'Flag dependency added',
    summary: ({ flag, inProject, tag }) => `made ${flag} depend on ${tag}${inProject}`,
    when: 'A dependency is new. A dependency that changes is removed and added.',
    about: 'flag',
    data: '`{feature, enabled, variants}`',
  },
  'feature-dependency-removed': {
    note: ({ flag, subject }) => `Flag ${flag} was made independent of ${subject}`,
    label: 'Flag dependency removed',
    summary: ({ flag, inProject, tag }) => `made ${flag} independent of ${tag}${inProject}`,
    when: 'A dependency is gone.',
    about: 'flag',
    preData: '`{feature, enabled, variants}`',
  },
  'feature-strategy-add': {
    note: ({ flag, forEnvironment, named }) =>
      `A ${named('name')} strategy was added to flag ${flag} ${forEnvironment}`,
    label: 'Flag strategy added',
    summary: ({ flag, inProject, forEnvironment, strategy }) =>
      `added strategy ${strategy} to ${flag}${forEnvironment}${inProject}`,
    when: 'A strategy is new.',
    about: 'flagThere',
    data: 'the strategy',
  },
  'feature-strategy-update': {
    note: ({ flag, forEnvironment, named }) =>
      `A ${named('name')} strategy of flag ${flag} was changed ${forEnvironment}`,
    label: 'Flag strategy updated',
    summary: ({ flag, inProject, strategy, inEnvironment, strategyChanges }) =>
      `updated ${flag}${inProject} by updating strategy ${strategy}${inEnvironment}${strategyChanges()}`,
    when: 'A strategy changed.',
    about: 'flagThere',
    ...changed('the strategy'),
  },
  'feature-strategy-remove': {
    note: ({ flag, forEnvironment, named }) =>
      `A ${named('name')} strategy was removed from flag ${flag} ${forEnvironment}`,
    label: 'Flag strategy removed',
    summary: ({ flag, inProject, forEnvironment, strategy }) =>
      `removed strategy ${strategy} from ${flag}${forEnvironment}${inProject}`,
    when: 'A strategy is gone.',
    about: 'flagThere',
    preData: 'the strategy',
  },
  'strategy-order-changed': {
    note: ({ flag, forEnvironment }) => `The strategies of flag ${flag} were reordered ${forEnvironment}`,
    when: 'Strategies that were there before and are there now have another order.',
    about: 'flagThere',
    ...changed('`{strategyIds}`'),
  },
  'feature-stale-on': {
    note: ({ flag }) => `Flag ${flag} was marked as stale`,
    label: 'Flag marked as stale',
    summary: ({ flag, inProject }) => `marked ${flag} as stale${inProject}`,
    when: '`stale` became true; after `feature-metadata-updated`.',
    about: 'flag',
  },
  'feature-stale-off': {
    note: ({ flag }) => `The stale mark was taken off flag ${flag}`,
    label: 'Flag stale marking removed',
    summary: ({ flag, inProject }) => `removed the stale marking on ${flag}${inProject}`,
    when: '`stale` is not true any more; after `feature-metadata-updated`.',
    about: 'flag',
  },
  'feature-potentially-stale-on': {
    note: ({ flag }) => `Flag ${flag} has lived longer than expected and may be stale`,
    byTime: true,
    when: 'The flag has outlived its lifetime: its `lifetimeDays`, or else that of its type.',
    about: 'flag',
  },
  'feature-environment-enabled': {
    note: ({ flag, forEnvironment }) => `Flag ${flag} was enabled ${forEnvironment}`,
    label: 'Flag enabled',
    summary: ({ flag, inProject, forEnvironment }) => `enabled ${flag}${forEnvironment}${inProject}`,
    when: 'The spec switches the flag on: `enabled` is true, a strategy is there that is not disabled, and the flag is not archived.',
    about: 'flagThere',
  },
  'feature-environment-disabled': {
    note: ({ flag, forEnvironment }) => `Flag ${flag} was disabled ${forEnvironment}`,
    label: 'Flag disabled',
    summary: ({ flag, inProject, forEnvironment }) => `disabled ${flag}${forEnvironment}${inProject}`,
    when: 'The spec does not switch the flag on any more, also because the last strategy was removed or disabled.',
    about: 'flagThere',
  },
  ...rolloutEventTypes,
  'strategy-created': {
    note: ({ named }) => `Strategy type ${named('name')} was created`,
    when: 'A StrategyDefinition is new.',
    about: 'none',
    data: 'the type',
  },
  'strategy-updated': {
    note: ({ named }) => `Strategy type ${named('name')} was edited`,
    when: 'A StrategyDefinition changed.',
    about: 'none',
    ...changed('the type'),
  },
  'strategy-deleted': {
    note: ({ named }) => `Strategy type ${named('name')} was deleted`,
    when: 'A StrategyDefinition is gone.',
    about: 'none',
    preData: 'the type',
  },
  'strategy-deprecated': {
    note: ({ named }) => `Strategy type ${named('name')} was deprecated`,
    when: '`deprecated` became true.',
    about: 'none',
    data: '`{name}`',
  },
  'strategy-reactivated': {
    note: ({ named }) => `Strategy type ${named('name')} was reactivated`,
    when: '`deprecated` is not true any more.',
    about: 'none',
    data: '`{name}`',
  },
  ...approvalEventTypes,
  'segment-created': {
    note: ({ named }) => `Segment ${named('name')} was created`,
    when: 'A Segment is new. Its id is null, as with users.',
    about: 'project',
    data: 'the segment',
  },
  'segment-updated': {
    note: ({ named }) => `Segment ${named('name')} was edited`,
    when: 'A Segment changed. The first change is by Vexil, which gives the id.',
    about: 'project',
    ...changed('the segment'),
  },
  'segment-deleted': {
    note: ({ named }) => `Segment ${named('name')} was deleted`,
    when: 'A Segment is gone.',
    about: 'project',
    preData: 'the segment',
  },
  'project-created': {
    note: ({ project }) => `Project ${project} was created`,
    label: 'Project created',
    summary: ({ project }) => `created project ${project}`,
    when: 'A Project is new. A `project-user-added` for each member follows.',
    about: 'project',
    data: 'the project',
  },
  'project-updated': {
    note: ({ project }) => `Project ${project} was edited`,
    when: 'A field of a Project other than its members changed. Also recorded when it begins or ends to list its environments.',
    about: 'project',
    ...changed('the project'),
  },
  'project-deleted': {
    note: ({ project }) => `Project ${project} was deleted`,
    label: 'Project deleted',
    summary: ({ project }) => `deleted project ${project}`,
    when: 'A Project is gone.',
    about: 'project',
    preData: 'the project',
  },
  'project-user-added': {
    note: ({ project, subject, named }) => `User ${subject} was added to project ${project} as ${named('roleName')}`,
    when: 'A member is new.',
    about: 'project',
    data: '`{roleId, userId, roleName, email}`',
  },
  'project-user-removed': {
    note: ({ project, subject }) => `User ${subject} was removed from project ${project}`,
    when: 'A member is gone.',
    about: 'project',
    preData: '`{roleId, userId, roleName, email}`',
  },
  'project-user-role-changed': {
    note: ({ project, subject, preData, named }) =>
      `The role of user ${subject} in project ${project} was changed from ${preData['roleName']} to ${named('roleName')}`,
    when: 'A member has another role.',
    about: 'project',
    ...changed('`{roleId, userId, roleName, email}`'),
  },
  'project-environment-added': {
    note: ({ project, environment }) => `Environment ${environment} was added to project ${project}`,
    when: 'A project that lists its environments lists one more.',
    about: 'projectThere',
  },
  'project-environment-removed': {
    note: ({ project, environment }) => `Environment ${environment} was removed from project ${project}`,
    when: 'A project that lists its environments lists one less.',
    about: 'projectThere',
  },
  'environment-created': {
    note: ({ environment }) => `Environment ${environment} was created`,
    when: 'An Environment is new. After a clone, the events of each flag that gains something follow.',
    about: 'environment',
    data: 'the environment, with the `clone` that it asks for',
  },
  'environment-updated': {
    note: ({ environment }) => `Environment ${environment} was edited`,
    when: 'An Environment changed.',
    about: 'environment',
    ...changed('the environment'),
  },
  'environment-deleted': {
    note: ({ environment }) => `Environment ${environment} was deleted`,
    when: 'An Environment is gone.',
    about: 'environment',
    preData: 'the environment',
  },
  'user-created': {
    note: ({ named }) => `User ${named('username')} was created`,
    when: 'A FlagUser is new. Its id is null, as it has none yet.',
    about: 'none',
    data: 'the user',
  },
  'user-updated': {
    note: ({ named }) => `User ${named('username')} was edited`,
    when: 'A FlagUser changed. The first change is by Vexil, which gives the id.',
    about: 'none',
    ...changed('the user'),
  },
  'user-deleted': {
    note: ({ named }) => `User ${named('username')} was deleted`,
    when: 'A FlagUser is gone.',
    about: 'none',
    preData: 'the user',
  },
  'history-person-forgotten': {
    note: ({ named }) => `A person was forgotten in the history, as ${named('pseudonym')},`,
    when: 'A person was [forgotten](history.md#forget-a-person).',
    about: 'none',
    data: '`{pseudonym, entries, versions, events}`: the pseudonym, and how many of each named the person',
  },
  'role-created': {
    note: ({ named }) => `Role ${named('name')} was created`,
    when: 'A FlagRole is new. Its id is null, as with users.',
    about: 'none',
    data: 'the role',
  },
  'role-updated': {
    note: ({ named }) => `Role ${named('name')} was edited`,
    when: 'A FlagRole changed. The first change is by Vexil, which gives the id.',
    about: 'none',
    ...changed('the role'),
  },
  'role-deleted': {
    note: ({ named }) => `Role ${named('name')} was deleted`,
    when: 'A FlagRole is gone.',
    about: 'none',
    preData: 'the role',
  },
  'pat-created': {
    note: ({ named }) => `The personal token ${named('tokenName')} was created`,
    when: 'An ApiToken of type `personal` is new.',
    about: 'token',
    data: 'the token, without its value',
  },
  'pat-deleted': {
    note: ({ named }) => `The personal token ${named('tokenName')} was deleted`,
    when: 'An ApiToken of type `personal` is gone.',
    about: 'token',
    preData: 'the token, without its value',
  },
  'api-token-created': {
    note: ({ named }) => `The API token ${named('tokenName')} was created`,
    when: 'An ApiToken of another type is new.',
    about: 'token',
    data: 'the token, without its value',
  },
  'api-token-updated': {
    note: ({ named }) => `The API token ${named('tokenName')} was edited`,
    when: 'An ApiToken of any type changed. That it got its value, or was used, is not recorded.',
    about: 'token',
    ...changed('the token, without its value'),
  },
  'api-token-deleted': {
    note: ({ named }) => `The API token ${named('tokenName')} was deleted`,
    when: 'An ApiToken of another type is gone.',
    about: 'token',
    preData: 'the token, without its value',
  },
  ...sinkEventTypes,
} as const satisfies Readonly<Record<string, EventType>>;

export type AuditEventType = keyof typeof table;

export const eventTypes: Readonly<Record<AuditEventType, EventType>> = table;

export const auditEventTypes = Object.keys(table) as readonly AuditEventType[];

/** The reason of the Kubernetes Event: `FeatureEnvironmentEnabled`. */
export function reasonOf(type: AuditEventType): string {
  return type
    .split('-')
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join('');
}
