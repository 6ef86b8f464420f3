/** The plan of the writes for a change: one request for each part that changed. */

import type { Schemas } from '../../api.generated.ts';
import { ApiError, checked } from '../../api.ts';
import { type Bypass, because } from '../../write/bypass.ts';

/** The options with which a step is sent. */
export interface Sending {
  /** Writes nothing; the answer is the manifest as it would be. */
  readonly dryRun?: true;
  /** Takes fields from their owners. */
  readonly force?: true;
  /** Asks for approval, if the change needs it. */
  readonly ask?: true;
  /** Why the change is made. */
  readonly reason?: string | undefined;
  /** The version that the write expects. */
  readonly etag?: string;
}

export interface Step {
  readonly title: string;
  readonly send: (sending: Sending) => Promise<StepAnswer>;
}

export interface StepAnswer {
  /** The manifest after the step; only a dry run returns it. */
  readonly text: string;
  /** The version after the step; undefined if the answer names none. */
  readonly etag: string | undefined;
}

/** A manifest and its version. */
export interface Seen {
  /** Empty if the object does not exist yet. */
  readonly text: string;
  readonly etag: string;
}

/** The state that steps start from. */
export interface Base extends Seen {
  /** The fields of the manifest; undefined if the API does not list them for the kind of object. */
  readonly fields: readonly Schemas['OwnedField'][] | undefined;
  /** Where the manifest is changed in Git; null or absent: not known. */
  readonly editUrl?: string | null;
}

export interface Plan {
  readonly steps: readonly Step[];
  readonly readBase: () => Promise<Base>;
  /** The freeze that saving bypasses. */
  readonly bypass?: Bypass | undefined;
  /** Absent if the API has no hand-over for the kind of object. */
  readonly handOver?: (fields: readonly string[]) => Promise<void>;
}

/** Returns the parts of a request that every write of a plan has, in addition to its path and body. */
export function sent({ dryRun, force, ask, reason, etag }: Sending) {
  return {
    query: {
      ...(dryRun && { dryRun }),
      ...(force && { force }),
      ...(ask && { changeRequest: ask }),
      ...because(reason),
    },
    with: {
      headers: { ...(dryRun && { Accept: 'application/yaml' }), ...(etag !== undefined && { 'If-Match': etag }) },
      parseAs: 'text' as const,
    },
  };
}

export async function stepAnswer(asked: Parameters<typeof checked>[0]): Promise<StepAnswer> {
  const { data, response } = await checked(asked);
  return {
    text: typeof data === 'string' ? data : '',
    etag: response.headers.get('Vexil-Manifest-ETag') ?? undefined,
  };
}

export async function seenManifest(asked: Parameters<typeof checked>[0]): Promise<Seen> {
  const { data, response } = await checked(asked);
  const etag = response.headers.get('ETag');
  if (typeof data !== 'string' || etag === null) throw new ApiError(response.status);
  return { text: data, etag };
}

export interface Preview {
  readonly step: Step;
  /** The manifest after the step; undefined if the step is refused and force does not help. */
  readonly after: string | undefined;
  /** The reason of a refusal. */
  readonly refusal: ApiError | undefined;
}
