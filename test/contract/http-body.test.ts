/** Bodies of requests before an endpoint receives them. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorBody } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { sendRaw } from '../support/raw-http.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('body');
  await instance.apply(aFlag(`${instance.home}/here`));
});
afterAll(() => instance.stop());

const create = 'POST /projects/shop/features';
const LIMIT = 100_000;

/** A body of exactly this many bytes, which is valid except for its length. */
const bodyOf = (name: string, bytes: number) => {
  const around = JSON.stringify({ name, x: '' }).length;
  return JSON.stringify({ name, x: 'x'.repeat(bytes - around) });
};

const post = (body: Buffer | string, ...lines: readonly string[]) => {
  const head = ['POST /api/admin/projects/shop/features HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close', ...lines];
  return sendRaw(instance.url, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]));
};
const JSON_TYPE = 'Content-Type: application/json';
const length = (body: Buffer | string) => `Content-Length: ${Buffer.byteLength(body)}`;

describe('malformed', () => {
  test.each([
    ['cut off', '{"name":'],
    ['with a comma too many', '{"name":"f",}'],
    ['two values', '{}{}'],
    ['no JSON', 'name=f'],
    ['NaN', '{"name":NaN}'],
    ['a control character in text', '{"name":"a\u0000"}'],
    ['blanks alone', '  '],
  ])('%s: 400 with the one body', async (_, body) => {
    const message = await instance.refuses(create, { status: 400, name: 'ValidationError', body });
    expect(message).toContain('not valid JSON');
  });

  test('bad UTF-8: 400, not a name with replacement characters', async () => {
    const body = Buffer.from([...Buffer.from('{"name":"a'), 0xff, 0xc3, ...Buffer.from('"}')]);
    const answer = await post(body, JSON_TYPE, length(body));
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError']);
    expect(answer.body.message).toBe('The body is not valid UTF-8.');
  });

  test('chunks that break off: nothing is written', async () => {
    const before = await instance.call('GET /projects/shop/features');
    const chunk = 'f\r\n{"name":"half"}\r\n';
    const answer = await post(`${chunk}not-a-chunk\r\n`, JSON_TYPE, 'Transfer-Encoding: chunked');
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError']);
    expect((await instance.call('GET /projects/shop/features')).text).toBe(before.text);
  });
});

describe('no body', () => {
  test('if one is needed: 400 that asks for it, or 415 if a body without a type is announced', async () => {
    const without = await post('', JSON_TYPE);
    expect([without.status, without.body.message]).toEqual([400, expect.stringContaining('The body is required')]);
    const empty = await post('', JSON_TYPE, 'Content-Length: 0');
    expect([empty.status, empty.body.message]).toEqual([400, expect.stringContaining('The body is required')]);
    const untyped = await post('', 'Content-Length: 0');
    expect([untyped.status, untyped.body.name]).toEqual([415, 'ContentTypeError']);
  });

  test('an empty body is no body, and no empty object that would reset the flag', async () => {
    await instance.apply(aFlag(`${instance.home}/not-reset`, { stale: true, type: 'experiment' }));
    for (const body of ['', '\ufeff']) {
      const headers = { 'content-type': 'application/json' };
      const refused = { status: 400, name: 'ValidationError', body, headers };
      const message = await instance.refuses('PUT /projects/shop/features/not-reset', refused);
      expect(message).toContain('The body is required');
    }
  });

  test.each([
    ['breaks off', 'Transfer-Encoding: chunked', '2\r\nab\r\nnot-a-chunk\r\n'],
    ['comes in a way that there is not', 'Transfer-Encoding: gzip', 'x'],
  ])('if none is needed, one that %s: 400, and nothing is written', async (_, line, body) => {
    await instance.apply(aFlag(`${instance.home}/not-ended`));
    const before = await instance.versions();
    const head = ['DELETE /api/admin/projects/shop/features/not-ended HTTP/1.1', 'Host: 127.0.0.1', line];
    const answer = await sendRaw(instance.url, `${head.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError']);
    // A second write waits for one that may be under way.
    await instance.call('PUT /projects/shop/features/here', { body: { description: 'later' } });
    expect((await instance.flag(`${instance.home}/not-ended`)).metadata.resourceVersion).toBe(
      before.get((await instance.flag(`${instance.home}/not-ended`)).metadata.uid),
    );
  });

  test('if none is needed, a body is not read', async () => {
    await instance.apply(aFlag(`${instance.home}/ended`));
    const answer = await instance.call('DELETE /projects/shop/features/ended', { body: '{"broken' });
    expect(answer.status).toBe(202);
  });
});

describe('too large', () => {
  test('100 kB are accepted, one byte more is 413', async () => {
    expect((await instance.call(create, { body: bodyOf('just-fits', LIMIT) })).status).toBe(201);
    const refused = { status: 413, name: 'PayloadTooLargeError', body: bodyOf('too-large', LIMIT + 1) };
    expect(await instance.refuses(create, refused)).toContain('100000 bytes');
  });

  test('announced: refused before it arrives', async () => {
    const answer = await post('{', JSON_TYPE, 'Content-Length: 1000000000');
    expect([answer.status, answer.body.name]).toEqual([413, 'PayloadTooLargeError']);
  });

  test('in chunks, without an announced length', async () => {
    const chunk = `${(60_000).toString(16)}\r\n${' '.repeat(60_000)}\r\n`;
    const answer = await post(`${chunk}${chunk}0\r\n\r\n`, JSON_TYPE, 'Transfer-Encoding: chunked');
    expect([answer.status, answer.body.name]).toEqual([413, 'PayloadTooLargeError']);
  });

  test('small when compressed, large when decompressed', async () => {
    const packed = gzipSync(bodyOf('bomb', 50_000_000));
    expect(packed.length).toBeLessThan(LIMIT);
    const answer = await post(packed, JSON_TYPE, 'Content-Encoding: gzip', length(packed));
    expect([answer.status, answer.body.name]).toEqual([413, 'PayloadTooLargeError']);
  });

  test('the size after decompression counts, so a compressed body that fits is read', async () => {
    const packed = gzipSync(JSON.stringify({ name: 'packed' }));
    expect((await post(packed, JSON_TYPE, 'Content-Encoding: gzip', length(packed))).status).toBe(201);
  });
});

describe('of the wrong type', () => {
  const asked = { status: 415, name: 'ContentTypeError', body: { name: 'typed' } };

  test.each([
    'text/plain',
    'text/html',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'json',
    '',
  ])('%j: 415 with the accepted types', async (contentType) => {
    const message = await instance.refuses(create, { ...asked, headers: { 'content-type': contentType } });
    expect(message).toContain('application/json');
  });

  test('none: 415', async () => {
    const body = '{"name":"untyped"}';
    const answer = await post(body, length(body));
    expect([answer.status, answer.body.name]).toEqual([415, 'ContentTypeError']);
    expect(errorBody.safeParse(answer.body).success).toBe(true);
  });

  test('on PUT and PATCH too', async () => {
    const headers = { 'content-type': 'text/plain' };
    for (const method of ['PUT', 'PATCH']) {
      await instance.refuses(`${method} /projects/shop/features/here`, { ...asked, headers });
    }
  });

  test.each([
    ['a character set that there is not', 'Content-Type: application/json; charset=klingon'],
    ['a character set that is not that of JSON', 'Content-Type: application/json; charset="utf-16"'],
    ['a packing that there is not', 'Content-Encoding: zstd-ish'],
  ])('%s: 415', async (_, line) => {
    const body = '{"name":"odd"}';
    const type = line.startsWith('Content-Type') ? [line] : [JSON_TYPE, line];
    const answer = await post(body, ...type, length(body));
    expect([answer.status, answer.body.name]).toEqual([415, 'ContentTypeError']);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json-patch+json'])(
    '%s is JSON',
    async (contentType) => {
      const headers = { 'content-type': contentType };
      const body = [{ op: 'replace', path: '/description', value: contentType }];
      const answer = await instance.call('PATCH /projects/shop/features/here', { headers, body });
      expect([answer.status, answer.body.description]).toEqual([200, contentType]);
    },
  );
});

describe('of an unusual shape', () => {
  test('nested deeper than 64 levels: 400', async () => {
    const nested = (depth: number) => `{"name":"nested-${depth}","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect((await instance.call(create, { body: nested(60) })).status).toBe(201);
    for (const depth of [70, 40_000]) {
      const refused = { status: 400, name: 'ValidationError', body: nested(depth) };
      expect(await instance.refuses(create, refused)).toContain('64 levels');
    }
  });

  test('a member __proto__: 400 with its place; constructor is an ordinary member', async () => {
    const refused = {
      status: 400,
      name: 'ValidationError',
      body: '{"name":"proto","x":[{"__proto__":{"stale":true}}]}',
    };
    expect(await instance.refuses(create, refused)).toContain('`x.0` property has a member named "__proto__"');
    const body = '{"name":"proto","constructor":{"prototype":{"polluted":1}}}';
    expect((await instance.call(create, { body })).status).toBe(201);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.keys((await instance.flagNamed('proto')).spec)).toEqual(['project']);
  });

  test('half of a surrogate pair: 400, not replaced by U+FFFD', async () => {
    const refused = { status: 400, name: 'ValidationError', body: '{"name":"half","description":"a\\ud83d"}' };
    expect(await instance.refuses(create, refused)).toContain('`description` property is no valid Unicode');
  });

  test('a number beyond the largest: 400, not replaced by null', async () => {
    const strategies = 'POST /projects/shop/features/here/environments/production/strategies';
    const body = '{"name":"default","parameters":{"most":1e400}}';
    const message = await instance.refuses(strategies, { status: 400, name: 'ValidationError', body });
    expect(message).toContain('`parameters.most` property is a number beyond what can be stored');
  });

  test('of a repeated member the last one counts', async () => {
    const { body } = await instance.call(create, { body: '{"name":"once","description":"a","description":"b"}' });
    expect(body.description).toBe('b');
  });

  test('text that needs escaping is answered as it was sent', async () => {
    const description = 'naïve "quotes" \\ \u2028 \u0007 🚩 </script> {{x}}';
    const { body } = await instance.call(create, { body: { name: 'careful', description } });
    expect(body.description).toBe(description);
    expect((await instance.call('GET /projects/shop/features/careful')).body.description).toBe(description);
    expect((await instance.flagNamed('careful')).spec.description).toBe(description);
  });

  test.each([
    [
      'half a character',
      '{"name":"half","description":"a\\ud83d"}',
      ['`description`', 'half of a surrogate pair', 'ud83d'],
    ],
    ['half a character in a key', '{"name":"half","x":{"\\udea9":1}}', ['has a member named', 'udea9']],
    ['half a character deep in a list', '{"name":"half","x":[["\\udea9"]]}', ['`x.0.0`', 'half of a surrogate pair']],
    ['a number beyond all bounds', '{"name":"half","x":1e400}', ['`x`', 'beyond what can be stored']],
  ])('%s is refused rather than stored as something else: 400', async (_, body, words) => {
    const message = await instance.refuses(create, { status: 400, name: 'ValidationError', body });
    for (const word of words) expect(message).toContain(word);
  });

  test('half a character in a JSON Patch, and a number beyond all bounds in parameters, are refused as well', async () => {
    const patch = '[{"op":"replace","path":"/description","value":"\\ud83d"}]';
    const refused = { status: 400, name: 'ValidationError' };
    expect(await instance.refuses('PATCH /projects/shop/features/here', { ...refused, body: patch })).toContain(
      '`0.value`',
    );
    const strategy = '{"name":"default","parameters":{"n":-1e400}}';
    const request = 'POST /projects/shop/features/here/environments/production/strategies';
    expect(await instance.refuses(request, { ...refused, body: strategy })).toContain('`parameters.n`');
  });

  test('a value that is too long is shortened in the message', async () => {
    const refused = { status: 400, name: 'ValidationError', body: { name: 'n'.repeat(50_000) } };
    expect((await instance.refuses(create, refused)).length).toBeLessThan(1000);
  });
});
