/** Writes the page about the types of audit events. */
import type { EventType } from '../src/domain/history/event-type.ts';
import { auditEventTypes, eventTypes } from '../src/domain/history/event-types.ts';

/** The columns that are set, by the subject of an event. */
const places: Readonly<Record<EventType['about'], string>> = {
  flag: 'flag, project',
  flagThere: 'flag, project, environment',
  project: 'project',
  projectThere: 'project, environment',
  environment: 'environment',
  token: 'environment, if the token names one',
  none: '',
};

/** The text of docs/event-types.md. */
export function historyPage(): string {
  const table = auditEventTypes.map((type) => {
    const { when, about, data = 'null', preData = 'null' } = eventTypes[type];
    return `| \`${type}\` | ${when} | ${places[about]} | ${data} | ${preData} |`;
  });
  return `# Types of audit events

One write may be recorded as several of these events, with one time and one author. \`data\` is the state after it and \`preData\` the state
before it, in the shapes of the [admin API](api.md). An event with equal \`data\` and \`preData\` is not recorded. The reason of the
Kubernetes Event is the type in UpperCamelCase: \`FeatureEnvironmentEnabled\`. A change of the spec that no type shows is recorded as the
\`…-updated\` of its kind, with \`spec\` as it is written in both. [history.md](history.md) has the rest.

| Type | Recorded when | Columns that are set | \`data\` | \`preData\` |
|---|---|---|---|---|
${table.join('\n')}
`;
}
