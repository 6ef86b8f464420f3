/**
 * Compressed answers of the admin API: which answers are compressed, which tag they have, and that a write accepts the
 * tag.
 */

import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aUser } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('compressed');
  const { home, apply } = instance;
  const flags = Array.from({ length: 10 }, (_, number) =>
    aFlag(`${home}/flag-${number}`, { description: 'x'.repeat(number === 0 ? 2_000 : 20) }),
  );
  await apply(...flags, ...Array.from({ length: 5 }, (_, number) => aUser(`${home}/user-${number}`)));
});
afterAll(() => instance.stop());

/** Reads the answer as it is sent; `fetch` would decompress it. */
async function read(path: string, accepted: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    const sent = { 'accept-encoding': accepted, ...headers };
    request(`${instance.url}/api/admin${path}`, { headers: sent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

const unpack = { br: brotliDecompressSync, gzip: gunzipSync };

describe.each(['/projects/shop/features', '/projects/shop', '/projects/shop/features/flag-0', '/user-admin'])(
  'GET %s',
  (path) => {
    test.each(['br', 'gzip'] as const)('in %s has the same content under its own tag', async (coding) => {
      const plain = await read(path, 'identity');
      const { status, headers, bytes } = await read(path, coding);
      expect([status, headers['content-encoding'], headers['vary']]).toEqual([
        200,
        coding,
        expect.stringContaining('Accept-Encoding'),
      ]);
      expect(unpack[coding](bytes)).toEqual(plain.bytes);
      expect(headers['content-length']).toBe(`${bytes.length}`);
      expect(headers['etag']).toBe(`${plain.headers['etag']}`.replace(/"$/, `-${coding}"`));
      expect(plain.headers['content-encoding']).toBeUndefined();
      for (const known of [headers['etag'], plain.headers['etag']]) {
        const again = await read(path, coding, { 'if-none-match': `${known}` });
        expect([again.status, again.bytes.length, again.headers['etag']]).toEqual([304, 0, headers['etag']]);
      }
    });
  },
);

test('a small answer, one made for its caller, and one with tokens are not compressed', async () => {
  await instance.call('POST /api-tokens', {
    body: { tokenName: 'x'.repeat(90), type: 'client', environment: 'production', projects: ['shop'] },
  });
  for (const path of ['/projects/shop/features/flag-1', '/search/features', '/user', '/api-tokens', '/search/events']) {
    const { status, headers } = await read(path, 'br, gzip');
    expect([path, status, headers['content-encoding']]).toEqual([path, 200, undefined]);
  }
});

test('If-Match accepts the tag of a compressed answer, once', async () => {
  const path = '/projects/shop/features/flag-0';
  const { headers } = await read(path, 'br');
  const put = () =>
    instance.call(`PUT ${path}`, { body: { description: 'new' }, headers: { 'if-match': `${headers['etag']}` } });
  expect((await put()).status).toBe(200);
  expect((await put()).status).toBe(412);
});
