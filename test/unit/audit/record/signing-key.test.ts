/** The key that signs heads: anything but an Ed25519 key is refused with a sentence. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSigningKey } from '../../../../src/audit/record/signing-key.ts';

const pem = (type: 'ed25519' | 'x25519') =>
  generateKeyPairSync(type as 'ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
const publicPem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-signing-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(content: string | Buffer) {
  const file = join(folder, 'key.pem');
  await writeFile(file, content);
  return readSigningKey(file);
}

test('an Ed25519 key is read', async () => {
  expect(await read(pem('ed25519'))).toMatchObject({ type: 'private', asymmetricKeyType: 'ed25519' });
});

test.each([
  [
    'another type',
    pem('x25519'),
    /key\.pem of VEXIL_HISTORY_SIGNING_KEY_FILE holds a key of type x25519: openssl genpkey/,
  ],
  ['a public key', publicPem, /holds no private key in PEM that is not encrypted/],
  ['text', 'top secret', /^(?!.*top secret).*holds no private key/],
  ['nothing', '', /holds no private key/],
])('%s is refused', async (_, content, message) => {
  await expect(read(content)).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(message) });
});

test('a file that is not there is named', async () => {
  await expect(readSigningKey('/no/such.pem')).rejects.toThrow(
    '/no/such.pem of VEXIL_HISTORY_SIGNING_KEY_FILE cannot be read (ENOENT)',
  );
});
