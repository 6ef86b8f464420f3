/** The files of a certificate: what is refused at the start, and the effect of later changes. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Credentials, followFiles, type TlsNotice } from '../../../../../src/http/server/socket/tls.ts';
import { type CertificatePair, makeCertificate, mountSecret } from '../../../../support/certificate.ts';
import { waitUntil } from '../../../../support/control-plane/wait-until.ts';

let first: CertificatePair;
let second: CertificatePair;
let secret: Awaited<ReturnType<typeof mountSecret>>;

beforeAll(async () => {
  [first, second] = await Promise.all([makeCertificate(1), makeCertificate(400)]);
  secret = await mountSecret(first);
});
afterAll(() => secret.remove());

const ENCRYPTED = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n';
type Pair = Pick<CertificatePair, 'cert' | 'key'>;

const broken: readonly [string, () => Pair, string][] = [
  ['a key of another certificate', () => ({ cert: second.cert, key: first.key }), 'is not that of the certificate in'],
  ['no certificate', () => ({ cert: 'nonsense', key: second.key }), 'VEXIL_TLS_CERT_FILE holds no certificate'],
  [
    'half of a certificate',
    () => ({ cert: second.cert.slice(0, 300), key: second.key }),
    'VEXIL_TLS_CERT_FILE holds no certificate',
  ],
  [
    'a broken certificate behind a good one',
    () => ({ cert: `${second.cert}${second.cert.slice(0, 300)}`, key: second.key }),
    'VEXIL_TLS_CERT_FILE cannot be served',
  ],
  ['no key', () => ({ cert: second.cert, key: '' }), 'VEXIL_TLS_KEY_FILE holds no private key'],
  ['an encrypted key', () => ({ cert: second.cert, key: ENCRYPTED }), 'VEXIL_TLS_KEY_FILE holds no private key'],
];

async function follow() {
  const notices: TlsNotice[] = [];
  const taken: Credentials[] = [];
  const stop = await followFiles({
    files: secret,
    take: (credentials) => taken.push(credentials),
    observe: (notice) => notices.push(notice),
    lookEveryMs: 10,
  });
  return { notices, taken, stop, serves: () => taken.at(-1)?.cert };
}

describe.each(broken)('%s', (_, pair, why) => {
  test('is refused at the start', async () => {
    await secret.swap(pair());
    await expect(follow()).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining(why) });
  });

  test('is reported once later, and the previous one is served until a valid one comes', async () => {
    await secret.swap(first);
    const { notices, taken, stop, serves } = await follow();
    await secret.swap(pair());
    await waitUntil({ what: 'it is refused' }, () => notices.length === 2);
    expect(notices.map(({ type }) => type)).toEqual(['taken', 'refused']);
    expect(notices[1]).toMatchObject({ error: { message: expect.stringContaining(why) } });
    expect([taken.length, serves()]).toEqual([1, first.cert]);
    await secret.swap(second);
    await waitUntil({ what: 'the good one is taken' }, () => serves() === second.cert);
    expect(notices).toHaveLength(3);
    stop();
  });
});

test('a missing file is named', async () => {
  const files = { ...secret, keyFile: `${secret.keyFile}.gone` };
  const followed = followFiles({ files, take: () => undefined, observe: () => undefined });
  const message = `The file ${files.keyFile} of VEXIL_TLS_KEY_FILE cannot be read (ENOENT)`;
  await expect(followed).rejects.toMatchObject({ code: 'invalid', message });
});

test('connections have TLS 1.2 at least, and the expiry is known', async () => {
  await secret.swap(second);
  const { notices, taken, stop } = await follow();
  stop();
  expect(taken).toEqual([{ cert: second.cert, key: second.key, minVersion: 'TLSv1.2' }]);
  expect(notices).toEqual([{ type: 'taken', expiresAt: second.expiresAt * 1000 }]);
});

test('unchanged files, or files with the same content, are not loaded again', async () => {
  await secret.swap(first);
  const { notices, stop } = await follow();
  await secret.swap(first);
  await writeFile(secret.certFile, first.cert);
  await secret.swap(second);
  await waitUntil({ what: 'the change is taken' }, () => notices.length > 1);
  stop();
  expect(notices).toHaveLength(2);
});
