/** Signed heads of the chain: what is signed, byte for byte, and how a signature is verified (docs/history.md). */
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { ChainPlace } from './chain.ts';

/** The end of the chain at a time. */
export interface ChainHead extends ChainPlace {
  /** Ms since 1970. */
  readonly at: number;
  /** The id of the key that signs. */
  readonly key: string;
}

export interface SignedHead extends ChainHead {
  /** Ed25519, in base64. */
  readonly signature: string;
}

/** A signature with the same key for another purpose, or for another form, is none of a head. */
const DOMAIN = 'vexil.dev/history-head/v1';
const KEY_ID_DIGITS = 16;

/** What is signed, as UTF-8. */
function headText({ n, link, at, key }: ChainHead): string {
  return [DOMAIN, n, link, at, key, ''].join('\n');
}

/** The first digits of the SHA-256 of the public key (SubjectPublicKeyInfo in DER). */
export function idOfPublicKey(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex').slice(0, KEY_ID_DIGITS);
}

export function signHead({ n, link }: ChainPlace, at: number, privateKey: KeyObject): SignedHead {
  const head = { n, link, at, key: idOfPublicKey(createPublicKey(privateKey)) };
  return { ...head, signature: sign(null, Buffer.from(headText(head)), privateKey).toString('base64') };
}

export function isSignedBy(publicKey: KeyObject, { signature, ...head }: SignedHead): boolean {
  return verify(null, Buffer.from(headText(head)), publicKey, Buffer.from(signature, 'base64'));
}
