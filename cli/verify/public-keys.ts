/** Reads the public keys that heads of the history are verified with. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { idOfPublicKey } from '../../src/domain/history/signed-head.ts';
import { Failure } from '../failure.ts';
import { reasonOf } from '../manifests/source.ts';
import { EXIT } from '../terminal.ts';

/** The keys by their ids. Throws a Failure for a file that has no public Ed25519 key. */
export async function readPublicKeys(files: readonly string[]): Promise<ReadonlyMap<string, KeyObject>> {
  const keys = await Promise.all(files.map(readKey));
  return new Map(keys.map((key) => [idOfPublicKey(key), key]));
}

async function readKey(file: string): Promise<KeyObject> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Failure(`cannot read the public key ${file}: ${reasonOf(error)}`, EXIT.noInput, error);
  });
  if (text.includes('PRIVATE KEY')) {
    const make = 'make the public key of it with: openssl pkey -in FILE -pubout';
    throw new Failure(`${file} has a private key, which only Vexil should have: ${make}`, EXIT.usage);
  }
  const key = parsed(text);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new Failure(`${file} has no public Ed25519 key in PEM (-----BEGIN PUBLIC KEY-----)`, EXIT.usage);
}

function parsed(text: string): KeyObject | undefined {
  try {
    return createPublicKey(text);
  } catch {
    return undefined;
  }
}
