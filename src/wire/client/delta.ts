/** The events of `GET /api/client/delta` and of streams, put together from bytes. */
import { bytesOf, joined } from '../../model/bytes.ts';

/** Yggdrasil reads ids as unsigned numbers of 32 bits. */
const EVENT_IDS = 2 ** 32;

interface RemovedFeature {
  readonly name: string;
  readonly project: string;
}

/** Segments are a JSON list. */
interface HydratedDocument {
  readonly segments: string;
}

export function deltaOf(events: readonly Buffer[]): Buffer {
  return joined('{"events":[', events, ']}');
}

export function featureUpdated(number: number, feature: Buffer): Buffer {
  return joined(`${opened(number, 'feature-updated')},"feature":`, [feature], '}');
}

/** `segment` is JSON. The event precedes the features that use the segment. */
export function segmentUpdated(number: number, segment: string): Buffer {
  return bytesOf(`${opened(number, 'segment-updated')},"segment":${segment}}`);
}

export function featureRemoved(number: number, { name, project }: RemovedFeature): Buffer {
  const members = `"featureName":${JSON.stringify(name)},"project":${JSON.stringify(project)}`;
  return bytesOf(`${opened(number, 'feature-removed')},${members}}`);
}

/** The text before and after the features of a delta that is a single hydration. */
export function hydrationAround(number: number, { segments }: HydratedDocument): readonly [Buffer, Buffer] {
  const opening = bytesOf(`{"events":[${opened(number, 'hydration')},"features":[`);
  return [opening, bytesOf(`],"segments":${segments}}]}`)];
}

function opened(number: number, type: string): string {
  return `{"eventId":${number % EVENT_IDS},"type":"${type}"`;
}
