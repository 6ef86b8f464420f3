/** Keys in the addresses of event streams, for callers that cannot send a header (ADR 45). */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../errors.ts';

/** The longest life of a key. */
const LIFE_MS = 3_600_000;
/** A token has one key in this time, so that answers with the key in them keep their ETags. */
const WINDOW_MS = LIFE_MS / 2;
const PURPOSE = 'vexil ofrep event stream';
/** The uid of the token, the time of expiry in seconds, an HMAC-SHA-256 of both. */
const LENGTHS = { uid: 16, expiry: 4, mac: 32 };
const KEY_LENGTH = LENGTHS.uid + LENGTHS.expiry + LENGTHS.mac;

/** The key is the same on all replicas, as each knows the digest of the token. `now` is in ms since 1970. */
export function streamKeyOf(uid: string, sha256: string, now: number): string {
  const expiry = Buffer.alloc(LENGTHS.expiry);
  expiry.writeUInt32BE((Math.floor(now / WINDOW_MS) * WINDOW_MS + LIFE_MS) / 1000);
  const claims = Buffer.concat([Buffer.from(uid.replaceAll('-', ''), 'hex'), expiry]);
  return Buffer.concat([claims, macOf(claims, sha256)]).toString('base64url');
}

/**
 * The uid of the token that the key was made for, while both are in force. `digestOf` returns the SHA-256 of the token
 * with that uid, if there is one.
 */
export function uidOfStreamKey(
  key: string,
  digestOf: (uid: string) => string | undefined,
  now: number,
): string | undefined {
  const bytes = Buffer.from(key, 'base64url');
  // Node ignores characters that are not base64url.
  if (bytes.length !== KEY_LENGTH || bytes.toString('base64url') !== key) return undefined;
  const claims = bytes.subarray(0, -LENGTHS.mac);
  const uid = uuidOf(claims.subarray(0, LENGTHS.uid));
  const sha256 = digestOf(uid);
  if (sha256 === undefined || claims.readUInt32BE(LENGTHS.uid) * 1000 <= now) return undefined;
  return timingSafeEqual(bytes.subarray(-LENGTHS.mac), macOf(claims, sha256)) ? uid : undefined;
}

function macOf(claims: Buffer, sha256: string): Buffer {
  return createHmac('sha256', sha256).update(PURPOSE).update(claims).digest();
}

export function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function refusalOfStreamKey(): Refusal {
  const message =
    'The address of the stream is wrong, or has expired. Evaluate all flags again: the answer has a new one.';
  return new Refusal('unauthenticated', message);
}
