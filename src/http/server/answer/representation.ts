/** The bytes of an answer with their ETag, made once and sent many times. */
import { hash } from 'node:crypto';
import { bytesOf } from '../../../model/bytes.ts';
import type { TaggedJson } from '../../../wire/tagged-json.ts';

export const MANIFEST_TYPE = 'application/yaml';
const JSON_TYPE = 'application/json; charset=utf-8';

/** A class, so that the server can distinguish it from a value to be serialised. */
export class Representation {
  readonly bytes: Buffer;
  /** The strong ETag, quotes included (RFC 9110 §8.8.3). */
  readonly etag: string;
  /** The content type. */
  readonly type: string;

  /** Without a given tag, the ETag is computed from the bytes. */
  constructor(bytes: Buffer, tag = hash('sha1', bytes, 'base64url'), type = JSON_TYPE) {
    this.bytes = bytes;
    this.etag = `"${tag}"`;
    this.type = type;
  }
}

/** An answer, or one that is not made yet. */
export type Tagged = Pick<Representation, 'etag'>;

/** JSON that is made for one answer. It is sent as text, for which Node.js makes no buffer. */
export class JsonText {
  readonly latin1: string;
  readonly etag: string;
  readonly type = JSON_TYPE;

  constructor({ latin1, tag }: TaggedJson) {
    this.latin1 = latin1;
    this.etag = `"${tag}"`;
  }
}

export function represent(value: unknown): Representation {
  return new Representation(bytesOf(JSON.stringify(value)));
}

/** The content codings of answers. */
const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

/** The strong tag of a coded answer: in another coding, the content has other bytes (RFC 9110 §8.8.3.3). */
export function codedTag({ etag }: Tagged, coding: Coding): string {
  return `${etag.slice(0, -1)}-${coding}"`;
}

/** Weak comparison for If-None-Match (RFC 9110 §13.1.2). */
export function isFresh(ifNoneMatch: string | undefined, answer: Tagged): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || tags(ifNoneMatch).some((tag) => isTagOf(tag.replace(/^W\//, ''), answer));
}

/** Strong comparison for If-Match (RFC 9110 §13.1.1). */
export function isPresent(ifMatch: string, answer: Tagged): boolean {
  return ifMatch.trim() === '*' || tags(ifMatch).some((tag) => isTagOf(tag, answer));
}

function isTagOf(tag: string, answer: Tagged): boolean {
  return tag === answer.etag || codings.some((coding) => tag === codedTag(answer, coding));
}

function tags(header: string): readonly string[] {
  return header.split(',').map((tag) => tag.trim());
}
