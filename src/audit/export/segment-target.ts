/** Opens the place that segments go to. */
import type { HistorySegment } from '../../domain/history/segment.ts';
import type { ExportPlace, S3Bucket } from '../../model/settings/export-place.ts';
import type { SegmentTarget } from './exporter.ts';
import { folderTarget } from './folder-target.ts';

/** The client of S3 is a file of its own, so that others need no memory for it. */
const program = new URL(`./s3-target${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export function segmentTarget(place: ExportPlace): SegmentTarget {
  if (place.type === 'folder') return folderTarget(place.folder);
  let loading: Promise<SegmentTarget> | undefined;
  return {
    async put(segment: HistorySegment, signal) {
      loading ??= loadS3(place);
      await (await loading).put(segment, signal);
    },
  };
}

async function loadS3(place: S3Bucket): Promise<SegmentTarget> {
  const { s3Target } = (await import(program.href)) as typeof import('./s3-target.ts');
  return s3Target(place);
}
