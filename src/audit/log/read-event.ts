/** Reads events of the audit log of the API server (audit.k8s.io/v1) as writes of objects. */
import { z } from 'zod';
import { asRawObject } from '../../kube/object/raw-object.ts';
import { isRecord, recordOf } from '../../model/json.ts';
import { GROUP } from '../../model/kind.ts';
import { cut } from '../../model/text.ts';
import { kinds } from '../../schema/kinds.ts';
import type { LoggedWrite } from '../archive/witnesses/logged-writes.ts';
import { snapshotOf } from '../record/snapshot.ts';

/** What an event is. `other`: no write of a kind of Vexil that changed something. */
export type ReadEvent =
  | { readonly is: 'write'; readonly writes: readonly LoggedWrite[] }
  | { readonly is: 'other' | 'unreadable' };

/** A longer object is left out, and then has no entry of its own if it was missed. etcd takes 1.5 MiB. */
const MAX_OBJECT_LENGTH = 2 * 1024 * 1024;
const MAX_TEXT_LENGTH = 1_000;
/** A user agent is long, and its beginning names the program. */
const MAX_AGENT_LENGTH = 256;
/** Objects that one request may delete. */
const MAX_ITEMS = 10_000;

const resources: ReadonlySet<string> = new Set(kinds.map(({ plural }) => plural));
const verbs = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;

const user = z.object({ username: z.string().min(1).max(MAX_TEXT_LENGTH) });
const time = z
  .string()
  .transform((text) => Date.parse(text))
  .pipe(z.number());
const auditEvent = z.object({
  apiVersion: z.literal('audit.k8s.io/v1').optional(),
  auditID: z.string().min(1).max(100),
  stage: z.string(),
  verb: z.string(),
  requestURI: z.string(),
  user,
  impersonatedUser: user.nullish(),
  sourceIPs: z.array(z.string().max(100)).max(100).nullish(),
  userAgent: z.string().nullish(),
  objectRef: z
    .object({
      resource: z.string().nullish(),
      namespace: z.string().nullish(),
      apiGroup: z.string().nullish(),
      subresource: z.string().nullish(),
    })
    .nullish(),
  responseStatus: z.object({ code: z.int().nullish() }).nullish(),
  requestObject: z.unknown().optional(),
  responseObject: z.unknown().optional(),
  requestReceivedTimestamp: time,
  stageTimestamp: time,
});
type AuditLogEvent = z.output<typeof auditEvent>;

export function readAuditEvent(value: unknown): ReadEvent {
  const parsed = auditEvent.safeParse(value);
  if (!parsed.success) return { is: 'unreadable' };
  const event = parsed.data;
  if (!isWrite(event) || isDryRun(event)) return { is: 'other' };
  const writes = event.verb.startsWith('delete') ? deletionsOf(event) : changeOf(event);
  return writes.length === 0 ? { is: 'unreadable' } : { is: 'write', writes };
}

function isWrite({ stage, verb, objectRef, responseStatus }: AuditLogEvent): boolean {
  const code = responseStatus?.code ?? 0;
  const isOurs = objectRef?.apiGroup === GROUP && resources.has(objectRef.resource ?? '') && !objectRef.subresource;
  return stage === 'ResponseComplete' && isOurs && code >= 200 && code < 300 && verbs.some((one) => one === verb);
}

/** A deletion says so in its body, too. */
function isDryRun({ requestURI, requestObject, verb }: AuditLogEvent): boolean {
  if (queryOf(requestURI).has('dryRun')) return true;
  const asked = verb.startsWith('delete') && isRecord(requestObject) ? requestObject['dryRun'] : undefined;
  return Array.isArray(asked) && asked.length > 0;
}

function queryOf(requestURI: string): URLSearchParams {
  const [, query = ''] = requestURI.split('?', 2);
  return new URLSearchParams(query);
}

function changeOf(event: AuditLogEvent): readonly LoggedWrite[] {
  const identity = identityOf(event.responseObject);
  if (identity === undefined || identity.revision === null) return [];
  const { uid, revision, generation } = identity;
  return [{ ...factsOf(event), id: event.auditID, uid, revision, generation, object: objectOf(event) }];
}

/**
 * The answer to a deletion is a Status with the uid, or the object if the object waits for its finalizers; that to a
 * deletion of several is a list.
 */
function deletionsOf(event: AuditLogEvent): readonly LoggedWrite[] {
  const { auditID, responseObject } = event;
  const gone = { revision: null, generation: null, object: null };
  const items = isRecord(responseObject) ? responseObject['items'] : undefined;
  if (Array.isArray(items)) {
    const uids = items.slice(0, MAX_ITEMS).flatMap((item) => identityOf(item)?.uid ?? []);
    return uids.map((uid) => ({ ...factsOf(event), id: `${auditID}/${uid}`, uid, ...gone }));
  }
  const details = isRecord(responseObject) ? responseObject['details'] : undefined;
  const uid = textIn(details, 'uid') ?? identityOf(responseObject)?.uid;
  return uid === undefined ? [] : [{ ...factsOf(event), id: auditID, uid, ...gone }];
}

function factsOf(event: AuditLogEvent) {
  const { user, impersonatedUser, sourceIPs, userAgent, objectRef, requestURI } = event;
  const agent = userAgent ? cut(userAgent, MAX_AGENT_LENGTH) : null;
  const manager = queryOf(requestURI).get('fieldManager') || agent?.split('/')[0] || null;
  return {
    resource: objectRef?.resource ?? '',
    namespace: objectRef?.namespace ?? '',
    receivedAt: event.requestReceivedTimestamp,
    completedAt: event.stageTimestamp,
    username: impersonatedUser?.username ?? user.username,
    impersonatedBy: impersonatedUser ? user.username : null,
    // Callers can send any address in a header; the last one is that of the connection.
    ip: sourceIPs?.at(-1) ?? null,
    userAgent: agent,
    fieldManager: manager === null ? null : cut(manager, 128),
  };
}

interface ObjectIdentity {
  readonly uid: string;
  readonly revision: number | null;
  readonly generation: number | null;
}

function identityOf(object: unknown): ObjectIdentity | undefined {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const uid = textIn(metadata, 'uid');
  if (uid === undefined || !isRecord(metadata)) return undefined;
  const revision = Number(textIn(metadata, 'resourceVersion') ?? Number.NaN);
  const generation = metadata['generation'];
  return {
    uid,
    revision: Number.isSafeInteger(revision) && revision > 0 ? revision : null,
    generation: typeof generation === 'number' && Number.isSafeInteger(generation) ? generation : null,
  };
}

function textIn(value: unknown, key: string): string | undefined {
  const text = isRecord(value) ? value[key] : undefined;
  return typeof text === 'string' && text.length <= MAX_TEXT_LENGTH ? text : undefined;
}

/** The shipped policy leaves `managedFields` out: the request says who wrote what when. */
function objectOf(event: AuditLogEvent): string | null {
  const { responseObject, requestObject, requestReceivedTimestamp } = event;
  if (!isRecord(responseObject)) return null;
  const { name, namespace } = recordOf(responseObject['metadata']);
  if (typeof name !== 'string' || typeof namespace !== 'string') return null;
  const { fieldManager: manager } = factsOf(event);
  const isApply = event.verb === 'patch' && isRecord(requestObject) && 'apiVersion' in requestObject;
  const operation = isApply ? 'Apply' : 'Update';
  const at = new Date(requestReceivedTimestamp).toISOString();
  const managedFields = [{ manager: manager ?? 'unknown', operation, time: at, fieldsV1: { 'f:spec': {} } }];
  const { metadata, spec, status } = asRawObject(responseObject);
  const text = snapshotOf({ metadata: { ...metadata, managedFields }, spec, status });
  return text.length <= MAX_OBJECT_LENGTH ? text : null;
}
