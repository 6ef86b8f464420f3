/** What a version says: the spec, and what else decides, addressed by its digest and compressed. */
import { hash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { canonicalJson, isRecord } from '../../../model/json.ts';

export interface VersionContent {
  readonly spec: unknown;
  /** The integer id of an object whose id decides; absent: it has none. */
  readonly id?: unknown;
}

export interface PackedContent {
  readonly digest: string;
  readonly body: string;
}

export function contentOf({ spec, status }: { readonly spec?: unknown; readonly status?: unknown }): VersionContent {
  const { id } = isRecord(status) ? status : {};
  return { spec: spec ?? {}, ...(id !== undefined && { id }) };
}

/** Base64, because the parameters of both databases are texts. */
export function packContent(content: VersionContent): PackedContent {
  const text = canonicalJson(content);
  return { digest: hash('sha256', text), body: deflateRawSync(text).toString('base64') };
}

export function unpackContent(body: string): VersionContent {
  return JSON.parse(inflateRawSync(Buffer.from(body, 'base64')).toString());
}
