/** An event in words for people: its label, and a summary in Markdown (facts §4.3). */
import type { Entry } from '../../audit/entry.ts';
import { precisionOf } from '../../audit/event-note.ts';
import type { AuditEventType } from '../../audit/event-types.ts';
import type { Links } from './event-links.ts';
import { bold, boldLink } from './event-markdown.ts';
import { strategyChanges, strategyTitle } from './event-strategy.ts';

interface Words {
  readonly label: string;
  readonly summary: string;
}

/** The names in an event as they stand in its summary. */
interface Names {
  readonly flag: string;
  readonly project: string;
  /** With the blank before it; empty: it is of no project. */
  readonly inProject: string;
  /** As `inProject`. */
  readonly forEnvironment: string;
  readonly strategy: string;
  readonly tag: string;
}

interface Telling {
  readonly label: string;
  /** What follows the name of who did it. */
  readonly says: (names: Names, entry: Entry) => string;
}

const tellings: Partial<Readonly<Record<AuditEventType, Telling>>> = {
  'feature-created': ofFlag('Flag created', ({ flag }) => `created ${flag}`),
  'feature-metadata-updated': ofFlag('Flag metadata updated', ({ flag }) => `updated ${flag} metadata`),
  'feature-archived': ofFlag('Flag archived', ({ flag }) => `archived ${flag}`),
  'feature-revived': ofFlag('Flag revived', ({ flag }) => `revived ${flag}`),
  'feature-deleted': ofFlag('Flag deleted', ({ flag }) => `deleted ${flag}`),
  'feature-stale-on': ofFlag('Flag marked as stale', ({ flag }) => `marked ${flag} as stale`),
  'feature-stale-off': ofFlag('Flag stale marking removed', ({ flag }) => `removed the stale marking on ${flag}`),
  'feature-environment-enabled': ofFlag(
    'Flag enabled',
    ({ flag, forEnvironment }) => `enabled ${flag}${forEnvironment}`,
  ),
  'feature-environment-disabled': ofFlag(
    'Flag disabled',
    ({ flag, forEnvironment }) => `disabled ${flag}${forEnvironment}`,
  ),
  'feature-strategy-add': ofFlag(
    'Flag strategy added',
    ({ flag, strategy, forEnvironment }) => `added strategy ${strategy} to ${flag}${forEnvironment}`,
  ),
  'feature-strategy-remove': ofFlag(
    'Flag strategy removed',
    ({ flag, strategy, forEnvironment }) => `removed strategy ${strategy} from ${flag}${forEnvironment}`,
  ),
  'feature-strategy-update': { label: 'Flag strategy updated', says: tellStrategyUpdate },
  'feature-environment-variants-updated': ofFlag(
    'Flag variants updated',
    ({ flag, forEnvironment }) => `updated variants for ${flag}${forEnvironment}`,
  ),
  'feature-tagged': ofFlag('Flag tagged', ({ flag, tag }) => `tagged ${flag} with ${tag}`),
  'feature-untagged': ofFlag('Flag untagged', ({ flag, tag }) => `untagged ${flag} with ${tag}`),
  'project-created': { label: 'Project created', says: ({ project }) => `created project ${project}` },
  'project-deleted': { label: 'Project deleted', says: ({ project }) => `deleted project ${project}` },
};

export function wordsOf(entry: Entry, links: Links): Words {
  const { type, createdBy } = entry;
  const { label, says } = tellings[type] ?? { label: type, says: () => `triggered ${bold(type)}` };
  return { label, summary: `${bold(createdBy)} ${says(namesIn(entry, links), entry)}${precisionOf(entry)}` };
}

function ofFlag(label: string, says: (names: Names) => string): Telling {
  return { label, says: (names) => `${says(names)}${names.inProject}` };
}

function tellStrategyUpdate({ flag, inProject, strategy }: Names, { environment, preData, data }: Entry): string {
  const place = environment === null ? '' : ` in ${bold(environment)}`;
  const changes = strategyChanges(preData, data);
  return `updated ${flag}${inProject} by updating strategy ${strategy}${place}${changes && ` ${changes}`}`;
}

function namesIn(entry: Entry, links: Links): Names {
  const { featureName, project, environment, data, preData } = entry;
  const shownProject = boldLink(project ?? '', project === null ? undefined : links.project(project));
  return {
    flag: boldLink(featureName ?? '', project === null ? undefined : links.flag(featureName ?? '', project)),
    project: shownProject,
    inProject: project === null ? '' : ` in project ${shownProject}`,
    forEnvironment: environment === null ? '' : ` for the ${bold(environment)} environment`,
    strategy: bold(strategyTitle(data ?? preData)),
    tag: bold(entry.subject),
  };
}
