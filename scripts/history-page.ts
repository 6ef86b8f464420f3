/** Writes the page about the types of events that the history tells. */
import { type AuditEventType, auditEventTypes } from '../src/audit/event-types.ts';

/** What an event is about, by the columns that are set. */
const places = {
  flag: 'flag, project',
  flagThere: 'flag, project, environment',
  project: 'project',
  projectThere: 'project, environment',
  environment: 'environment',
  token: 'environment, if the token names one',
  none: '',
} as const;

interface Row {
  readonly when: string;
  readonly about: keyof typeof places;
  readonly data?: string;
  readonly preData?: string;
}

const changed = (what: string) => ({ data: what, preData: `${what} before` });

/** The types check that none is missing. */
const rows: Readonly<Record<AuditEventType, Row>> = {
  'feature-created': {
    when: 'A FeatureFlag is new. What it begins with follows: a `feature-strategy-add` for each strategy, a `feature-environment-enabled` for each environment where it is on.',
    about: 'flag',
    data: 'the flag',
  },
  'feature-deleted': { when: 'A FeatureFlag is gone.', about: 'flag', preData: 'the flag' },
  'feature-updated': {
    when: 'A spec says something else, and none of the other types tells it: a default is written out, an archived flag is switched, a switch is on where no strategy is.',
    about: 'flag',
    ...changed('the flag, with `spec` as it is written'),
  },
  'feature-metadata-updated': {
    when: 'Description, type, `impressionData` or `stale` changed.',
    about: 'flag',
    ...changed('the flag'),
  },
  'feature-variants-updated': {
    when: 'The variants of the flag changed.',
    about: 'flag',
    ...changed('`{variants}`'),
  },
  'feature-environment-variants-updated': {
    when: 'An environment got variants of its own, has others, or goes back to those of the flag (unless these change at the same time: then `feature-variants-updated` tells both).',
    about: 'flagThere',
    data: '`{variants}` that hold there',
    preData: '`{variants}` that held there',
  },
  'feature-archived': {
    when: '`archived` became true. That the flag is off then is not told for each environment.',
    about: 'flag',
  },
  'feature-revived': { when: '`archived` is not true any more.', about: 'flag' },
  'feature-tagged': { when: 'A tag is new.', about: 'flag', data: '`{type, value}`' },
  'feature-untagged': { when: 'A tag is gone.', about: 'flag', preData: '`{type, value}`' },
  'feature-strategy-add': { when: 'A strategy is new.', about: 'flagThere', data: 'the strategy' },
  'feature-strategy-update': { when: 'A strategy changed.', about: 'flagThere', ...changed('the strategy') },
  'feature-strategy-remove': { when: 'A strategy is gone.', about: 'flagThere', preData: 'the strategy' },
  'strategy-order-changed': {
    when: 'Strategies that were there before and are there now have another order.',
    about: 'flagThere',
    ...changed('`{strategyIds}`'),
  },
  'feature-stale-on': { when: '`stale` became true; after `feature-metadata-updated`.', about: 'flag' },
  'feature-stale-off': { when: '`stale` is not true any more; after `feature-metadata-updated`.', about: 'flag' },
  'feature-potentially-stale-on': { when: 'The flag has lived longer than its type expects.', about: 'flag' },
  'feature-environment-enabled': {
    when: 'The spec switches the flag on: `enabled` is true, a strategy is there that is not disabled, and the flag is not archived.',
    about: 'flagThere',
  },
  'feature-environment-disabled': {
    when: 'One of these is not so any more, also because the last strategy was removed or disabled.',
    about: 'flagThere',
  },
  'strategy-created': { when: 'A StrategyDefinition is new.', about: 'none', data: 'the type' },
  'strategy-updated': { when: 'It changed.', about: 'none', ...changed('the type') },
  'strategy-deleted': { when: 'It is gone.', about: 'none', preData: 'the type' },
  'strategy-deprecated': { when: '`deprecated` became true.', about: 'none', data: '`{name}`' },
  'strategy-reactivated': { when: '`deprecated` is not true any more.', about: 'none', data: '`{name}`' },
  'project-created': {
    when: 'A Project is new. A `project-user-added` for each member follows.',
    about: 'project',
    data: 'the project',
  },
  'project-updated': {
    when: 'Something else of it changed than members; also when it begins or ends to list its environments.',
    about: 'project',
    ...changed('the project'),
  },
  'project-deleted': { when: 'A Project is gone.', about: 'project', preData: 'the project' },
  'project-user-added': {
    when: 'A member is new.',
    about: 'project',
    data: '`{roleId, userId, roleName, email}`',
  },
  'project-user-removed': {
    when: 'A member is gone.',
    about: 'project',
    preData: '`{roleId, userId, roleName, email}`',
  },
  'project-user-role-changed': {
    when: 'A member has another role.',
    about: 'project',
    ...changed('`{roleId, userId, roleName, email}`'),
  },
  'project-environment-added': {
    when: 'A project that lists its environments lists one more.',
    about: 'projectThere',
  },
  'project-environment-removed': { when: 'It lists one less.', about: 'projectThere' },
  'environment-created': {
    when: 'An Environment is new. A clone is told by this, then by what each flag gains.',
    about: 'environment',
    data: 'the environment, with the `clone` that it asks for',
  },
  'environment-updated': { when: 'It changed.', about: 'environment', ...changed('the environment') },
  'environment-deleted': { when: 'It is gone.', about: 'environment', preData: 'the environment' },
  'user-created': {
    when: 'A FlagUser is new. Its id is null, as it has none yet.',
    about: 'none',
    data: 'the user',
  },
  'user-updated': {
    when: 'It changed. The first time it is Vexil, which gives the id.',
    about: 'none',
    ...changed('the user'),
  },
  'user-deleted': { when: 'It is gone.', about: 'none', preData: 'the user' },
  'role-created': { when: 'A FlagRole is new. Its id is null, as with users.', about: 'none', data: 'the role' },
  'role-updated': { when: 'It changed; Vexil gives the id.', about: 'none', ...changed('the role') },
  'role-deleted': { when: 'It is gone.', about: 'none', preData: 'the role' },
  'pat-created': {
    when: 'An ApiToken of type `personal` is new.',
    about: 'token',
    data: 'the token, without its value',
  },
  'pat-deleted': { when: 'It is gone.', about: 'token', preData: 'the token, without its value' },
  'api-token-created': {
    when: 'An ApiToken of another type is new.',
    about: 'token',
    data: 'the token, without its value',
  },
  'api-token-updated': {
    when: 'An ApiToken of any type changed. That it got its value, or was used, is not told.',
    about: 'token',
    ...changed('the token, without its value'),
  },
  'api-token-deleted': { when: 'It is gone.', about: 'token', preData: 'the token, without its value' },
};

/** The text of docs/event-types.md. */
export function historyPage(): string {
  const table = auditEventTypes.map((type) => {
    const { when, about, data = 'null', preData = 'null' } = rows[type];
    return `| \`${type}\` | ${when} | ${places[about]} | ${data} | ${preData} |`;
  });
  return `<!-- Made by \`npm run generate\` from src/audit/event-types.ts and scripts/history-page.ts; changes here are lost. -->

# What the history tells

One write may be several of these; they have one time and one author. \`data\` is what it became, \`preData\` what it was, both in the
shapes of the [admin API](api.md). An event whose two are the same is not told. The reason of the Event in Kubernetes is the type in UpperCamelCase:
\`FeatureEnvironmentEnabled\`. A spec that differs in what no type shows is told as the \`…-updated\` of its kind, with \`spec\` as it is
written in both. [history.md](history.md) has the rest.

| Type | Told when | Says which | \`data\` | \`preData\` |
|---|---|---|---|---|
${table.join('\n')}
`;
}
