/** Bodies of POST /state/import as bytes: JSON, YAML and forms, and what is refused. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallOptions } from '../support/admin-client.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { complaintsAbout, expectNoComplaints } from '../support/rows.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('state-body');
});
afterAll(() => instance.stop());

const IMPORT = 'POST /state/import?dryRun=true';
const INVALID = '400 ValidationError';
const TYPE = '415 ContentTypeError';
const LARGE = '413 PayloadTooLargeError';

const JSON_TEXT = JSON.stringify({ features: [{ name: 'sent', project: 'shop' }] });
const YAML_TEXT = 'features:\n- name: sent\n  project: shop\n';

const yaml = (text: string | Buffer, type = 'application/yaml'): CallOptions => {
  return { body: text, headers: { 'content-type': type } };
};

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly text: string;
  readonly type?: string;
}

const BOUNDARY = 'between-the-parts';
const form = (parts: readonly Part[], { boundary = BOUNDARY, end = `--${BOUNDARY}--\r\n` } = {}): CallOptions => {
  const written = parts.map(({ name, filename, text, type }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${typed}\r\n${text}\r\n`;
  });
  const headers = {
    'content-type': boundary === '' ? 'multipart/form-data' : `multipart/form-data; boundary=${boundary}`,
  };
  return { body: written.join('') + end, headers };
};
const file = (filename: string, text: string): Part => ({ name: 'file', filename, text });

type Row = readonly [what: string, options: CallOptions, want: string, ...words: string[]];

async function expectRows(rows: readonly Row[]): Promise<void> {
  const before = await instance.everything();
  const complaints = await complaintsAbout(
    rows.map(([what, options, want, ...words]) => ({
      what,
      check: async () => {
        const { status, body, text } = await instance.call(IMPORT, options);
        const got = status === 202 ? `202 ${body.created.features.join()}` : `${status} ${body?.name}`;
        expect(got, text).toBe(want);
        for (const word of words) expect(body.message).toContain(word);
        expect(body.message?.length ?? 0).toBeLessThan(4100);
      },
    })),
    // The server runs one import at a time, and refuses one that waits for long.
    1,
  );
  expectNoComplaints(complaints);
  expect(await instance.everything()).toEqual(before);
}

test('each valid way to send a document', () =>
  expectRows([
    ['JSON', { body: JSON_TEXT }, '202 sent'],
    ['any +json', { body: JSON_TEXT, headers: { 'content-type': 'application/state+json' } }, '202 sent'],
    ['JSON with a byte order mark', { body: `\ufeff${JSON_TEXT}` }, '202 sent'],
    ['application/yaml', yaml(YAML_TEXT), '202 sent'],
    ['text/yaml', yaml(YAML_TEXT, 'text/yaml; charset=utf-8'), '202 sent'],
    ['application/x-yaml', yaml(YAML_TEXT, 'application/x-yaml'), '202 sent'],
    ['text/x-yaml', yaml(YAML_TEXT, 'text/x-yaml'), '202 sent'],
    ['JSON that says it is YAML, which it is', yaml(JSON_TEXT), '202 sent'],
    [
      'packed YAML',
      { body: gzipSync(YAML_TEXT), headers: { 'content-type': 'text/yaml', 'content-encoding': 'gzip' } },
      '202 sent',
    ],
    ['a file of JSON', form([file('state.json', JSON_TEXT)]), '202 sent'],
    ['a file of YAML', form([file('state.yaml', YAML_TEXT)]), '202 sent'],
    ['a file of YAML by its short name', form([file('STATE.YML', YAML_TEXT)]), '202 sent'],
    ['a file without a name, as JSON', form([{ name: 'file', text: JSON_TEXT }]), '202 sent'],
    [
      'a file beside other parts',
      form([{ name: 'x', text: 'y' }, file('a.json', JSON_TEXT), { name: 'z', filename: 'z.bin', text: '\0' }]),
      '202 sent',
    ],
    [
      'a few aliases, as libraries write them',
      yaml('features:\n- name: sent\n  project: &a shop\n- name: more\n  project: *a\n'),
      '202 sent,more',
    ],
    [
      'text that other readers take for something else',
      yaml('features:\n- {name: on, project: shop}\n- {name: no, project: shop}\n'),
      '202 on,no',
    ],
  ]));

test('each invalid way to send it', () =>
  expectRows([
    ['YAML named .json', form([file('state.json', YAML_TEXT)]), INVALID, 'not valid JSON'],
    ['no file', form([{ name: 'state', filename: 'a.json', text: JSON_TEXT }]), INVALID, 'no file named "file"'],
    ['two files', form([file('a.json', '{}'), file('b.json', '{}')]), INVALID, 'several files'],
    ['an empty file', form([file('a.json', '')]), INVALID, 'required'],
    [
      '21 parts',
      form([...Array.from({ length: 21 }, () => ({ name: 'x', text: 'y' })), file('a.json', '{}')]),
      INVALID,
      '20 parts',
    ],
    ['no boundary', form([file('a.json', '{}')], { boundary: '' }), TYPE, 'boundary'],
    ['another boundary', form([file('a.json', '{}')], { boundary: 'another' }), INVALID, 'form'],
    ['a form that breaks off', form([file('a.json', '{}')], { end: '' }), INVALID, 'form'],
    ['no parts', form([]), INVALID, 'form'],
    [
      'a form as urls have it',
      { body: 'file=%7B%7D', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      TYPE,
      'multipart/form-data',
    ],
    ['another charset', yaml(YAML_TEXT, 'text/yaml; charset=utf-16'), TYPE, 'utf-16'],
    ['bytes that are no UTF-8', yaml(Buffer.from([0x61, 0xff])), INVALID, 'UTF-8'],
    ['no bytes', yaml(''), INVALID, 'required'],
    ['broken YAML', yaml('features: [\n'), INVALID, 'not valid YAML'],
    ['tabs', yaml('features:\n\t- x\n'), INVALID, 'not valid YAML'],
    ['a YAML text', yaml('just text'), INVALID, 'must be object'],
    ['nothing but a comment', yaml('# nothing\n'), INVALID, 'the input is empty'],
    ['two documents', yaml('version: 1\n---\nversion: 1\n'), INVALID, 'not valid YAML'],
    ['a key twice', yaml('version: 1\nversion: 1\n'), INVALID, 'duplicated mapping key'],
    ['a key twice, deep inside', yaml('features:\n- {name: f, name: f}\n'), INVALID, 'duplicated mapping key (2:'],
    ['a tag that there is not', yaml('features: !!js/function x\n'), INVALID, 'not valid YAML'],
    ['a tag of its own', yaml('features: !mine []\n'), INVALID, 'not valid YAML'],
    ['an alias of nothing', yaml('features: *x\n'), INVALID, 'not valid YAML'],
    ['what is not a number', yaml('version: .nan\n'), INVALID, 'number'],
    ['endless', yaml('version: .inf\n'), INVALID, 'number'],
    ['__proto__', yaml('__proto__: {polluted: 1}\n'), INVALID, '__proto__'],
    ['half of a surrogate pair', yaml('features:\n- name: "\\ud800"\n'), INVALID],
    [
      'a property twice in JSON',
      { body: '{"features":[{"name":"a","name":"b"}]}' },
      INVALID,
      '`features[0].name` twice',
    ],
    ['a property twice, once escaped', { body: '{"version":1,"v\\u0065rsion":2}' }, INVALID, '`version` twice'],
    [
      'what looks like a property twice in a text',
      { body: '{"version":5,"tags":[{"type":"\\"version\\":1,","value":"xx"}]}' },
      INVALID,
      'must be 1, 2, 3 or 4',
    ],
  ]));

describe('bombs', () => {
  const laughs = (depth: number, wide: number) => {
    const levels = Array.from({ length: depth }, (_, level) => {
      const inner = level === 0 ? '"lol"' : `*l${level - 1}`;
      return `l${level}: &l${level} [${Array.from({ length: wide }, () => inner).join(', ')}]`;
    });
    return `${levels.join('\n')}\n`;
  };
  const wideAlias = `a: &a [${'1,'.repeat(50_000)}1]\nb: [${'*a,'.repeat(50)}*a]\n`;

  test('each is refused, without much memory', async () => {
    const before = process.memoryUsage().rss;
    await expectRows([
      ['a billion laughs', yaml(laughs(10, 10)), INVALID, 'YAML'],
      ['a large thing many times', yaml(wideAlias), INVALID, 'aliases'],
      ['what holds itself', yaml('features: &a [*a]\n'), INVALID],
      ['100,000 levels', yaml(`features: ${'['.repeat(100_000)}`), INVALID],
      [
        '2,000 levels by indentation',
        yaml(Array.from({ length: 2000 }, (_, n) => `${' '.repeat(n)}a:\n`).join('')),
        INVALID,
      ],
      ['100,000 keys', yaml(Array.from({ length: 100_000 }, (_, n) => `k${n}: 1\n`).join('')), INVALID],
      ['100,000 anchors', yaml(Array.from({ length: 100_000 }, (_, n) => `- &a${n} x\n`).join('')), INVALID],
      ['6 MB of YAML', yaml(`# ${'x'.repeat(6_000_000)}`), LARGE, '5242880 bytes'],
      [
        '50 MB in a few kB',
        {
          body: gzipSync(Buffer.alloc(50_000_000, ' '), { level: 1 }),
          headers: { 'content-type': 'text/yaml', 'content-encoding': 'gzip' },
        },
        LARGE,
      ],
    ]);
    expect(process.memoryUsage().rss - before).toBeLessThan(800_000_000);
  });
});
