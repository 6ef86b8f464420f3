/** The bytes of an answer with their ETag, made once and sent many times. */
import { hash } from 'node:crypto';

const COMMA = Buffer.from(',');

/** A class, so that the server can distinguish it from a value to be serialised. */
export class Representation {
  readonly bytes: Buffer;
  /** Strong, over the bytes, quotes included (RFC 9110 §8.8.3). */
  readonly etag: string;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.etag = `"${hash('sha1', bytes, 'base64url')}"`;
  }
}

export function represent(value: unknown): Representation {
  return new Representation(Buffer.from(JSON.stringify(value)));
}

/** JSON around a list whose items are bytes already. */
export function joined(head: string, items: readonly Buffer[], tail: string): Buffer {
  const parts = items.flatMap((item, index) => (index === 0 ? [item] : [COMMA, item]));
  return Buffer.concat([Buffer.from(head), ...parts, Buffer.from(tail)]);
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
