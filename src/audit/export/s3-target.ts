/** Puts segments of the history into a bucket. A program of its own, which is loaded only where a bucket is set. */
import { PutObjectCommand, S3Client, type S3ServiceException } from '@aws-sdk/client-s3';
import { Refusal } from '../../errors.ts';
import type { S3Bucket } from '../../model/settings/export-place.ts';
import type { SegmentTarget } from './exporter.ts';

const CONNECT_MS = 5_000;
const REQUEST_MS = 60_000;

export function s3Target({ bucket, prefix, region, endpoint }: S3Bucket): SegmentTarget {
  const client = new S3Client({
    ...(region !== undefined && { region }),
    // Other storages have no domain for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // The exporter tries again.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: REQUEST_MS, throwOnRequestTimeout: true },
  });
  return {
    async put({ name, text }, signal) {
      const object = {
        ...{ Bucket: bucket, Key: `${prefix}${name}`, Body: text, ContentType: 'application/x-ndjson' },
        // Retention by object lock demands a checksum.
        ChecksumAlgorithm: 'SHA256' as const,
        IfNoneMatch: '*',
      };
      await client.send(new PutObjectCommand(object), { abortSignal: signal }).catch((cause: unknown) => {
        if (statusOf(cause) !== ALREADY_THERE) throw asRefusal(bucket, cause);
      });
    },
  };
}

/** The condition does not hold: there is an object of this name, which has the digest of its content. */
const ALREADY_THERE = 412;

function statusOf(cause: unknown): number | undefined {
  return (cause as Partial<S3ServiceException>).$metadata?.httpStatusCode;
}

/** Without the message of the storage, which may contain the id of a key. */
function asRefusal(bucket: string, cause: unknown): Refusal {
  const { name, code } = cause as { readonly name?: string; readonly code?: string };
  const why = [statusOf(cause), code ?? name].filter((part) => part !== undefined).join(' ');
  return new Refusal('unavailable', `The bucket ${bucket} of VEXIL_HISTORY_EXPORT_URL cannot be written (${why})`);
}
