/** Encrypts texts that a browser keeps, each for one purpose. */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import type { z } from 'zod';

/** AES-256-GCM with a random initialisation vector of 96 bits (NIST SP 800-38D §8.2.2). */
const ALGORITHM = 'aes-256-gcm';
export const SESSION_KEY_BYTES = 32;
const ID_BYTES = 8;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface SessionKey {
  /** The id of the key, derived from its bytes: a sealed text names the key that opens it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** What texts are sealed for. A text that was sealed for another purpose or version cannot be opened for this one. */
export interface Purpose<T> {
  readonly name: string;
  readonly schema: z.ZodType<T>;
}

export function sessionKey(bytes: Buffer): SessionKey {
  return { id: hash('sha256', bytes, 'buffer').subarray(0, ID_BYTES).toString('hex'), bytes };
}

/**
 * Returns the id of the key, the initialisation vector, the tag and the encrypted content, in base64url. The purpose is
 * authenticated with them.
 */
export function seal<T>({ id, bytes }: SessionKey, { name }: Purpose<T>, content: T): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, bytes, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()]);
  return Buffer.concat([Buffer.from(id, 'hex'), iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** The id of the key that a text names. */
export function keyIdOf(text: string): string {
  return Buffer.from(text, 'base64url').subarray(0, ID_BYTES).toString('hex');
}

/** Undefined if the text was not sealed with this key for this purpose. */
export function unseal<T>({ bytes }: SessionKey, { name, schema }: Purpose<T>, text: string): T | undefined {
  const whole = Buffer.from(text, 'base64url');
  const [ivAt, tagAt, sealedAt] = [ID_BYTES, ID_BYTES + IV_BYTES, ID_BYTES + IV_BYTES + TAG_BYTES];
  if (whole.length <= sealedAt) return undefined;
  try {
    const decipher = createDecipheriv(ALGORITHM, bytes, whole.subarray(ivAt, tagAt), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(name))
      .setAuthTag(whole.subarray(tagAt, sealedAt));
    const content = Buffer.concat([decipher.update(whole.subarray(sealedAt)), decipher.final()]);
    return schema.parse(JSON.parse(content.toString()));
  } catch {
    return undefined;
  }
}
