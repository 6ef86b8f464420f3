/** The export of the history into a bucket with object lock, with a real S3 server. */
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { verifySegments } from '../../cli/verify/segments.ts';
import { segmentTarget } from '../../src/audit/export/segment-target.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { segmentOf } from '../../src/domain/history/segment.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { untilVersionsAreKept } from '../support/in-next-second.ts';
import { readMetric } from '../support/read-metric.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import { type S3Server, startS3Server } from '../support/tools/s3-server.ts';

const BUCKET = 'vexil-history';
const never = new AbortController().signal;
let server: S3Server;
let client: S3Client;

beforeAll(async () => {
  server = await startS3Server();
  const credentials = { accessKeyId: server.accessKey, secretAccessKey: server.secretKey };
  client = new S3Client({ region: 'us-east-1', endpoint: server.url, forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET, ObjectLockEnabledForBucket: true }));
  const retention = { Rule: { DefaultRetention: { Mode: 'COMPLIANCE' as const, Days: 1 } } };
  const lock = { ObjectLockEnabled: 'Enabled' as const, ...retention };
  await client.send(new PutObjectLockConfigurationCommand({ Bucket: BUCKET, ObjectLockConfiguration: lock }));
}, 900_000);
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', server.accessKey);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', server.secretKey);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  client?.destroy();
  await server?.stop();
});

const urlOf = (prefix: string) =>
  `s3://${BUCKET}/${prefix}?region=us-east-1&endpoint=${encodeURIComponent(server.url)}`;
function targetOf(prefix: string) {
  const { historyExport } = loadConfig({ VEXIL_HISTORY_EXPORT_URL: urlOf(prefix) });
  if (historyExport === undefined) throw new Error('no place');
  return segmentTarget(historyExport.place);
}
const filesIn = (prefix: string) => readdir(join(server.folderOf(BUCKET), prefix)).catch(() => []);
const aSegment = (to: number) => segmentOf({ after: { n: 0, link: 'a' }, to, previous: null, lines: ['{"line":"x"}'] });

test('an object is written once, and is never replaced', async () => {
  const target = targetOf('once');
  const segment = aSegment(1);
  await target.put(segment, never);
  await target.put(segment, never);
  await target.put({ ...segment, text: 'another text' }, never);
  expect(await filesIn('once')).toEqual([segment.name]);
  expect(await readFile(join(server.folderOf(BUCKET), 'once', segment.name), 'utf8')).toBe(segment.text);
});

test('what is written cannot be deleted while the lock of the bucket holds', async () => {
  const segment = aSegment(3);
  await targetOf('locked').put(segment, never);
  const { Versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: BUCKET, Prefix: 'locked/' }));
  expect(Versions).toHaveLength(1);
  const { Key, VersionId } = Versions[0] ?? {};
  await expect(client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key, VersionId }))).rejects.toMatchObject({
    $metadata: { httpStatusCode: 403 },
  });
  expect(await filesIn('locked')).toEqual([segment.name]);
});

test('says what is wrong, without the id of the key', async () => {
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong');
  const refused = await targetOf('wrong')
    .put(aSegment(2), never)
    .catch((error: Error) => error.message);
  expect(refused).toMatch(
    /^The bucket vexil-history of VEXIL_HISTORY_EXPORT_URL cannot be written \(403 SignatureDoesNotMatch\)$/,
  );
  expect(refused).not.toContain(server.accessKey);
  const gone = { type: 's3', bucket: BUCKET, prefix: '', region: 'us-east-1', endpoint: 'http://127.0.0.1:9' } as const;
  await expect(segmentTarget(gone).put(aSegment(2), never)).rejects.toThrow('cannot be written (ECONNREFUSED)');
});

test('an operator exports, goes on after the storage was away, and the objects verify', async () => {
  const instance: RecordingInstance = await startRecordingInstance('export-s3', {
    ...{ VEXIL_HISTORY_EXPORT_URL: urlOf('live'), VEXIL_HISTORY_EXPORT_INTERVAL: '1s' },
  });
  const folder = await mkdtemp(join(tmpdir(), 'vexil-bucket-'));
  const overdue = () => readMetric(instance.opsUrl, 'vexil_audit_export_overdue_seconds');
  try {
    // Earlier objects are the baseline, which has no entries.
    await untilVersionsAreKept(instance.call, 'shop');
    await instance.apply(aFlag(`${instance.home}/first`, {}));
    await waitUntil({ what: 'a segment is there' }, async () => (await filesIn('live')).length > 0);
    await server.halt();
    await instance.apply(aFlag(`${instance.home}/second`, {}));
    await waitUntil({ what: 'the export is overdue', timeoutMs: 60_000 }, async () => (await overdue()) > 0);
    await server.resume();
    await waitUntil({ what: 'everything is exported', timeoutMs: 60_000 }, async () => {
      const texts = await Promise.all(
        (await filesIn('live')).map((name) => readFile(join(server.folderOf(BUCKET), 'live', name), 'utf8')),
      );
      return texts.join().includes('"feature_name":"second"') && (await overdue()) === 0;
    });
  } finally {
    await instance.stop();
  }
  for (const name of await filesIn('live')) {
    await copyFile(join(server.folderOf(BUCKET), 'live', name), join(folder, name));
  }
  const verdict = await verifySegments(folder, { publicKeys: new Map(), heads: [] });
  expect(verdict).toMatchObject({ found: 0, findings: [] });
  expect(verdict.segments).toBeGreaterThan(1);
  await rm(folder, { recursive: true });
}, 180_000);
