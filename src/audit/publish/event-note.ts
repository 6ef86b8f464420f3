/** The text of the Kubernetes Event of entries, as shown by `kubectl get events`. */
import { metadataFields } from '../../domain/flag/metadata-fields.ts';
import { isWithoutEffect, type NewEntry } from '../../domain/history/entry.ts';
import type { NoteParts } from '../../domain/history/event-type.ts';
import { eventTypes, reasonOf } from '../../domain/history/event-types.ts';
import { maskAddresses } from '../../domain/history/masked-addresses.ts';
import { precisionOf } from '../../domain/history/precision.ts';
import { userIds } from '../../domain/history/user-ids.ts';
import { cutToBytes } from '../../model/text.ts';

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
  const environment = entry.environment ?? object;
  return {
    flag: featureName ?? object,
    project: entry.project ?? object,
    inProject: entry.project === null ? '' : ` in project ${entry.project}`,
    fromProject: entry.project === null ? '' : ` from project ${entry.project}`,
    environment,
    forEnvironment: `for the ${environment} environment`,
    subject,
    edited: metadataFields.filter((field) => data[field] !== preData[field]).join(', '),
    preData,
    named: (key) => String(data[key] ?? preData[key] ?? object),
  };
}

/** Entries of earlier versions have no channel: those with an address came through the API. */
function authorIn({ type, createdBy, createdByUserId, ip, channel }: NewEntry): string {
  if (eventTypes[type].byTime) return '';
  if (createdByUserId === userIds.vexil) return ' by Vexil';
  const name = createdBy === 'unknown' && createdByUserId === userIds.unknownActor ? 'someone unknown' : createdBy;
  const way = channel ?? (ip === null ? 'kubernetes' : 'api');
  return ` by ${name}${way === 'kubernetes' ? '' : ` (${way})`}`;
}
