/** Reads the key that signs heads of the chain. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Refusal } from '../../errors.ts';

const SETTING = 'VEXIL_HISTORY_SIGNING_KEY_FILE';

/** Rejects with Refusal `invalid` for a file that cannot be read, or has no such key; without content of the file. */
export async function readSigningKey(file: string): Promise<KeyObject> {
  const pem = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Refusal('invalid', `The file ${file} of ${SETTING} cannot be read (${cause.code})`, { cause });
  });
  const key = parsed(pem);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  const what =
    key === undefined ? 'no private key in PEM that is not encrypted' : `a key of type ${key.asymmetricKeyType}`;
  const make = 'openssl genpkey -algorithm ed25519 makes an Ed25519 key, which it must be';
  throw new Refusal('invalid', `The file ${file} of ${SETTING} holds ${what}: ${make}`);
}

/** Messages of OpenSSL could contain content of the file. */
function parsed(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
