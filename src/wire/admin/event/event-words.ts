/** The label and the Markdown summary of an event (docs/unleash-compatibility.md#event-texts). */
import { type Entry, isWithoutEffect, precisionOf } from '../../../domain/history/entry.ts';
import type { EventType, SummaryParts } from '../../../domain/history/event-type.ts';
import { eventTypes } from '../../../domain/history/event-types.ts';
import { bold, boldLink } from './event-markdown.ts';
import { strategyChanges, strategyTitle } from './event-strategy.ts';

/** Links for the names in a summary. Undefined: the name has no link. */
export interface Links {
  flag(name: string, project: string): string | undefined;
  project(id: string): string | undefined;
}

interface Words {
  readonly label: string;
  readonly summary: string;
}

export function wordsOf(entry: Entry, links: Links): Words {
  const { type, createdBy } = entry;
  // The archive may hold a type of a later version.
  const { label = type, summary = () => `triggered ${bold(type)}` }: Partial<EventType> = eventTypes[type] ?? {};
  return {
    label,
    summary: `${bold(createdBy)} ${summary(partsOf(entry, links))}${placeOf(entry)}${precisionOf(entry)}`,
  };
}

/** The object has the name of another one, or of a project of another namespace. */
function placeOf(entry: Entry): string {
  return isWithoutEffect(entry) ? ` in namespace ${bold(entry.namespace)}, without effect` : '';
}

function partsOf(entry: Entry, links: Links): SummaryParts {
  const { featureName, project, environment, data, preData } = entry;
  const shownProject = boldLink(project ?? entry.object, project === null ? undefined : links.project(project));
  return {
    flag: boldLink(featureName ?? '', project === null ? undefined : links.flag(featureName ?? '', project)),
    project: shownProject,
    inProject: project === null ? '' : ` in project ${shownProject}`,
    forEnvironment: environment === null ? '' : ` for the ${bold(environment)} environment`,
    inEnvironment: environment === null ? '' : ` in ${bold(environment)}`,
    strategy: bold(strategyTitle(data ?? preData)),
    strategyChanges: () => changesOf(entry),
    tag: bold(entry.subject),
    alert: bold(String(data?.['alert'] ?? '')),
  };
}

function changesOf({ preData, data }: Entry): string {
  const changes = strategyChanges(preData, data);
  return changes && ` ${changes}`;
}
