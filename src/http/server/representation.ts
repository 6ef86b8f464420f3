/** The bytes of an answer with their ETag, made once and sent many times. */
import { hash } from 'node:crypto';

/** A class, so that the server can distinguish it from a value to be serialised. */
export class Representation {
  readonly bytes: Buffer;
  /** Strong, quotes included (RFC 9110 §8.8.3). */
  readonly etag: string;

  /** Without a tag of its own it has one over the bytes. */
  constructor(bytes: Buffer, tag = hash('sha1', bytes, 'base64url')) {
    this.bytes = bytes;
    this.etag = `"${tag}"`;
  }
}

export function represent(value: unknown): Representation {
  return new Representation(Buffer.from(JSON.stringify(value)));
}

/** Weak comparison for If-None-Match (RFC 9110 §13.1.2). */
export function isFresh(ifNoneMatch: string | undefined, { etag }: Representation): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || tags(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag);
}

/** Strong comparison for If-Match (RFC 9110 §13.1.1). */
export function isPresent(ifMatch: string, { etag }: Representation): boolean {
  return ifMatch.trim() === '*' || tags(ifMatch).includes(etag);
}

function tags(header: string): readonly string[] {
  return header.split(',').map((tag) => tag.trim());
}
