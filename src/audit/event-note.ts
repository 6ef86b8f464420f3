/** What an Event says of an entry, for whoever reads `kubectl get events`. */
import { userIds } from './actor.ts';
import type { JsonObject, NewEntry } from './entry.ts';
import type { AuditEventType } from './event-types.ts';
import { maskAddresses } from './masked-addresses.ts';

export interface EventText {
  /** UpperCamelCase: FeatureEnvironmentEnabled. */
  readonly reason: string;
  readonly note: string;
}

/** As the API server bounds a note. */
const MOST_BYTES = 1024;

/** Own words: the wire has none for most types. */
export function eventTextOf(entry: NewEntry): EventText {
  const sentence = `${sentences[entry.type](partsOf(entry))}${authorIn(entry)}`;
  const end = precisionOf(entry);
  // No author or title begins a line of its own.
  const whole = maskAddresses(sentence).replace(/\p{Cc}+/gu, ' ');
  return { reason: reasonOf(entry.type), note: `${cut(whole, MOST_BYTES - end.length)}${end}` };
}

/** What cannot be told apart, and between which times it happened; empty: it is one change at a known time. */
export function precisionOf({ coalesced, earliestAt, createdAt }: NewEntry): string {
  const [from, to] = [earliestAt ?? createdAt, createdAt].map((time) => new Date(time).toISOString());
  const parts = [
    ...(coalesced ? ['several changes at once'] : []),
    ...(earliestAt === null ? [] : [`between ${from} and ${to}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function reasonOf(type: AuditEventType): string {
  return type
    .split('-')
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join('');
}

/** What sentences are made of. */
interface Parts {
  readonly flag: string;
  readonly project: string;
  readonly environment: string;
  readonly subject: string;
  /** What it is afterwards. */
  readonly data: JsonObject;
  readonly preData: JsonObject;
  /** The text under this key in what it is, else in what it was; else the name of the object. */
  readonly named: (key: string) => string;
}

function partsOf({ featureName, object, subject, ...entry }: NewEntry): Parts {
  const [data, preData] = [entry.data ?? {}, entry.preData ?? {}];
  return {
    flag: featureName ?? object,
    project: entry.project ?? object,
    environment: entry.environment ?? object,
    subject,
    data,
    preData,
    named: (key) => String(data[key] ?? preData[key] ?? object),
  };
}

function authorIn({ type, createdBy, createdByUserId, ip }: NewEntry): string {
  if (type === 'feature-potentially-stale-on') return '';
  if (createdByUserId === userIds.vexil) return ' by Vexil';
  const name = createdBy === 'unknown' && createdByUserId === userIds.nobodyKnown ? 'someone unknown' : createdBy;
  return ` by ${name}${ip === null ? '' : ' (api)'}`;
}

const inEnvironment = ({ environment }: Parts) => `for the ${environment} environment`;

const sentences: Readonly<Record<AuditEventType, (parts: Parts) => string>> = {
  'feature-created': ({ flag, project }) => `Flag ${flag} was created in project ${project}`,
  'feature-deleted': ({ flag, project }) => `Flag ${flag} was deleted from project ${project}`,
  'feature-updated': ({ flag }) => `Flag ${flag} was edited`,
  'feature-metadata-updated': (parts) => `Flag ${parts.flag} was edited (${editedIn(parts)})`,
  'feature-variants-updated': ({ flag }) => `The variants of flag ${flag} were changed`,
  'feature-environment-variants-updated': (parts) =>
    `The variants of flag ${parts.flag} were changed ${inEnvironment(parts)}`,
  'feature-archived': ({ flag }) => `Flag ${flag} was archived`,
  'feature-revived': ({ flag }) => `Flag ${flag} was revived`,
  'feature-tagged': ({ flag, subject }) => `Flag ${flag} was tagged with ${subject}`,
  'feature-untagged': ({ flag, subject }) => `The tag ${subject} was taken off flag ${flag}`,
  'feature-strategy-add': (parts) =>
    `A ${parts.named('name')} strategy was added to flag ${parts.flag} ${inEnvironment(parts)}`,
  'feature-strategy-update': (parts) =>
    `A ${parts.named('name')} strategy of flag ${parts.flag} was changed ${inEnvironment(parts)}`,
  'feature-strategy-remove': (parts) =>
    `A ${parts.named('name')} strategy was removed from flag ${parts.flag} ${inEnvironment(parts)}`,
  'strategy-order-changed': (parts) => `The strategies of flag ${parts.flag} were reordered ${inEnvironment(parts)}`,
  'feature-stale-on': ({ flag }) => `Flag ${flag} was marked as stale`,
  'feature-stale-off': ({ flag }) => `The stale mark was taken off flag ${flag}`,
  'feature-potentially-stale-on': ({ flag }) => `Flag ${flag} has lived longer than its type expects and may be stale`,
  'feature-environment-enabled': (parts) => `Flag ${parts.flag} was enabled ${inEnvironment(parts)}`,
  'feature-environment-disabled': (parts) => `Flag ${parts.flag} was disabled ${inEnvironment(parts)}`,
  'strategy-created': ({ named }) => `Strategy type ${named('name')} was created`,
  'strategy-updated': ({ named }) => `Strategy type ${named('name')} was edited`,
  'strategy-deleted': ({ named }) => `Strategy type ${named('name')} was deleted`,
  'strategy-deprecated': ({ named }) => `Strategy type ${named('name')} was deprecated`,
  'strategy-reactivated': ({ named }) => `Strategy type ${named('name')} was reactivated`,
  'project-created': ({ project }) => `Project ${project} was created`,
  'project-updated': ({ project }) => `Project ${project} was edited`,
  'project-deleted': ({ project }) => `Project ${project} was deleted`,
  'project-user-added': ({ project, subject, named }) =>
    `User ${subject} was added to project ${project} as ${named('roleName')}`,
  'project-user-removed': ({ project, subject }) => `User ${subject} was removed from project ${project}`,
  'project-user-role-changed': ({ project, subject, named, preData }) =>
    `The role of user ${subject} in project ${project} was changed from ${preData['roleName']} to ${named('roleName')}`,
  'project-environment-added': ({ project, environment }) =>
    `Environment ${environment} was added to project ${project}`,
  'project-environment-removed': ({ project, environment }) =>
    `Environment ${environment} was removed from project ${project}`,
  'environment-created': ({ environment }) => `Environment ${environment} was created`,
  'environment-updated': ({ environment }) => `Environment ${environment} was edited`,
  'environment-deleted': ({ environment }) => `Environment ${environment} was deleted`,
  'user-created': ({ named }) => `User ${named('username')} was created`,
  'user-updated': ({ named }) => `User ${named('username')} was edited`,
  'user-deleted': ({ named }) => `User ${named('username')} was deleted`,
  'role-created': ({ named }) => `Role ${named('name')} was created`,
  'role-updated': ({ named }) => `Role ${named('name')} was edited`,
  'role-deleted': ({ named }) => `Role ${named('name')} was deleted`,
  'pat-created': ({ named }) => `The personal token ${named('tokenName')} was created`,
  'pat-deleted': ({ named }) => `The personal token ${named('tokenName')} was deleted`,
  'api-token-created': ({ named }) => `The API token ${named('tokenName')} was created`,
  'api-token-updated': ({ named }) => `The API token ${named('tokenName')} was edited`,
  'api-token-deleted': ({ named }) => `The API token ${named('tokenName')} was deleted`,
};

const metadata = ['type', 'description', 'impressionData', 'stale'];

function editedIn({ data, preData }: Parts): string {
  return metadata.filter((key) => data[key] !== preData[key]).join(', ');
}

/** Never half a character: bytes that continue one are 10xxxxxx. */
function cut(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= mostBytes) return text;
  const lead = bytes.subarray(0, mostBytes + 1).findLastIndex((byte) => byte >> 6 !== 0b10);
  return bytes.subarray(0, lead).toString();
}
