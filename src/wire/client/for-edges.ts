/**
 * What an edge gets in addition to other clients, as the member `vexil` of a flag: its tags, for queries by tag, and
 * what windows and ramps will change, so that the edge changes it in time without its upstream.
 */
import type { ClientFeature } from '../../evaluation/client-document.ts';

/** An edge sends it with any value. */
export const EDGE_HEADER = 'Vexil-Edge';

/** An edge says in each answer when its flags were last known to be those of the operator or of Unleash. */
export const GOOD_AT_HEADER = 'Vexil-Good-At';

/** The time is in ms since 1970. */
export function goodAtText(goodAt: number): string {
  return new Date(goodAt).toISOString();
}

/** Returns undefined if the text is no time. */
export function readGoodAt(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}

const GOOD_AT_COMMENT = 'good-at ';

/** In a stream, later times are comments, which SDKs ignore. */
export function goodAtComment(goodAt: number): Buffer {
  return Buffer.from(`: ${GOOD_AT_COMMENT}${goodAtText(goodAt)}\n\n`);
}

/** Returns undefined for any other comment. */
export function goodAtIn(comment: string): number | undefined {
  return comment.startsWith(GOOD_AT_COMMENT) ? readGoodAt(comment.slice(GOOD_AT_COMMENT.length)) : undefined;
}

/** The flag from a time on. */
export interface PlannedFeature {
  /** In ms since 1970. */
  readonly at: number;
  readonly feature: ClientFeature;
}

export interface ForEdges {
  /** As `type:value`. */
  readonly tags?: readonly string[];
  readonly plan?: readonly PlannedFeature[];
}

/** The JSON of the member. Each flag has it: an edge knows by it that a flag without tags has none. */
export function forEdgesText(tags: readonly string[], plan: readonly PlannedFeature[]): string {
  if (tags.length === 0 && plan.length === 0) return '{}';
  return JSON.stringify({ ...(tags.length > 0 && { tags }), ...(plan.length > 0 && { plan }) });
}

/** The JSON of the flag with the member. */
export function withForEdges(feature: Buffer, member: string): Buffer {
  return Buffer.concat([feature.subarray(0, -1), Buffer.from(`,"vexil":${member}}`)]);
}
