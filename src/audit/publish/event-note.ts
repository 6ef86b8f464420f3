/** The text of the Kubernetes Event of entries, as shown by `kubectl get events`. */
import { metadataFields } from '../../domain/flag/metadata-fields.ts';
import { isWithoutEffect, type NewEntry, precisionOf, userIds } from '../../domain/history/entry.ts';
import type { NoteParts } from '../../domain/history/event-type.ts';
import { eventTypes, reasonOf } from '../../domain/history/event-types.ts';
import { maskAddresses } from '../../domain/history/masked-addresses.ts';
import { isRecord } from '../../model/json.ts';
import { cutToBytes } from '../../model/text.ts';
import { environment } from '../../schema/environment.ts';
import { project } from '../../schema/project.ts';
import { segment } from '../../schema/segment.ts';

export interface EventText {
  /** UpperCamelCase: FeatureEnvironmentEnabled. */
  readonly reason: string;
  readonly note: string;
}

/** The limit of the API server for a note. */
const MAX_BYTES = 1024;

export function eventTextOf([entry, ...others]: readonly [NewEntry, ...NewEntry[]]): EventText {
  const reason = entry.reason === null ? [] : [`Reason: ${entry.reason}`];
  const sentence = [`${sentenceOf(entry)}${authorIn(entry)}`, ...others.map(sentenceOf), ...reason].join('. ');
  const end = precisionOf(entry);
  // Authors and titles cannot begin a new line.
  const whole = maskAddresses(sentence).replace(/\p{Cc}+/gu, ' ');
  return { reason: reasonOf(entry.type), note: `${cutToBytes(whole, MAX_BYTES - end.length)}${end}` };
}

function sentenceOf(entry: NewEntry): string {
  const place = isWithoutEffect(entry) ? ` in namespace ${entry.namespace}, without effect` : '';
  return `${eventTypes[entry.type].note(partsOf(entry))}${place}`;
}

function partsOf({ featureName, object, subject, ...entry }: NewEntry): NoteParts {
  const [data, preData] = [entry.data ?? {}, entry.preData ?? {}];
  const place = entry.environment ?? object;
  return {
    flag: featureName ?? object,
    forTarget: targetIn({ featureName, object, ...entry }),
    project: entry.project ?? object,
    inProject: entry.project === null ? '' : ` in project ${entry.project}`,
    fromProject: entry.project === null ? '' : ` from project ${entry.project}`,
    environment: place,
    forEnvironment: `for the ${place} environment`,
    subject,
    edited: metadataFields.filter((field) => data[field] !== preData[field]).join(', '),
    preData,
    named: (key) => String(data[key] ?? preData[key] ?? object),
  };
}

/** What a change request is about. A decision on one names no target but a flag. */
function targetIn({ featureName, resource, object, data, preData }: Omit<NewEntry, 'subject'>): string {
  if (featureName !== null) return ` for flag ${featureName}`;
  const target = (data ?? preData)?.['target'];
  if (isRecord(target)) return ` for ${String(target['kind']).toLowerCase()} ${target['name']}`;
  const changed = CHANGED[resource];
  return changed === undefined ? '' : ` for ${changed} ${object}`;
}

/** The words for objects in which approved changes come into effect, by plural. */
const CHANGED: Readonly<Record<string, string>> = Object.fromEntries(
  [segment, project, environment].map(({ plural, singular }) => [plural, singular]),
);

/** Entries of earlier versions have no channel: those with an address came through the API. */
function authorIn({ type, createdBy, createdByUserId, ip, channel }: NewEntry): string {
  if (eventTypes[type].byTime) return '';
  if (createdByUserId === userIds.vexil) return ' by Vexil';
  const name = createdBy === 'unknown' && createdByUserId === userIds.unknownActor ? 'someone unknown' : createdBy;
  const way = channel ?? (ip === null ? 'kubernetes' : 'api');
  return ` by ${name}${way === 'kubernetes' ? '' : ` (${way})`}`;
}
