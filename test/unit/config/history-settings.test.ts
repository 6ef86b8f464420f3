/** Where the history is exported to, and how often it is signed. */
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';

const placeOf = (url: string) => loadConfig({ VEXIL_HISTORY_EXPORT_URL: url }).historyExport?.place;

test('without settings nothing is signed or exported', () => {
  expect(loadConfig({})).toMatchObject({ historySigning: undefined, historyExport: undefined });
});

test('a key is used once an hour, unless another interval is set', () => {
  const keyFile = '/key.pem';
  const settings = { VEXIL_HISTORY_SIGNING_KEY_FILE: keyFile };
  expect(loadConfig(settings).historySigning).toEqual({ keyFile, intervalMs: 3_600_000 });
  const often = { ...settings, VEXIL_HISTORY_SIGNING_INTERVAL: '90s' };
  expect(loadConfig(often).historySigning?.intervalMs).toBe(90_000);
});

test.each([
  ['file:///var/lib/export', { type: 'folder', folder: '/var/lib/export' }],
  ['file:///a%20b', { type: 'folder', folder: '/a b' }],
  ['s3://bucket', { type: 's3', bucket: 'bucket', prefix: '', region: undefined, endpoint: undefined }],
  [
    's3://my-bucket/a/b/?region=eu-1&endpoint=http%3A%2F%2Fminio:9000',
    { type: 's3', bucket: 'my-bucket', prefix: 'a/b/', region: 'eu-1', endpoint: 'http://minio:9000' },
  ],
])('%s is a place', (url, place) => {
  expect(placeOf(url)).toEqual(place);
});

test.each([
  '/var/lib/export',
  'file:///',
  'file://host/folder',
  'https://example.com/x',
  's3://key:secret@bucket/x',
  's3://bucket/x?acl=public',
  's3://bucket?endpoint=minio',
  's3://bucket?endpoint=http%3A%2F%2Fkey:secret@minio',
  's3://B',
  's3://',
])('%s is none', (url) => {
  expect(() => placeOf(url)).toThrow(
    /VEXIL_HISTORY_EXPORT_URL has a value that cannot be used.* allowed: "file:\/\/\/FOLDER"/,
  );
  expect(() => placeOf(url)).not.toThrow('secret');
});

test.each(['0s', '25h', '1d', 'soon'])('%s is no interval', (text) => {
  expect(() => loadConfig({ VEXIL_HISTORY_EXPORT_INTERVAL: text })).toThrow('from 1s to 24h');
});
