/** The draft of a segment, and the step from the stored state to the draft. */

import type { Schemas } from '../api.generated.ts';
import { api, asManifest } from '../api.ts';
import {
  type ConstraintDraft,
  constraintOf,
  constraintProblem,
  draftOfConstraint,
} from '../editor/draft/constraint-draft.ts';
import { isSame } from '../editor/draft/is-same.ts';
import { type Plan, type Step, seenManifest, sent, stepAnswer } from '../editor/review/plan.ts';
import { SEGMENT, SEGMENTS } from './segment-paths.ts';

export interface SegmentDraft {
  readonly name: string;
  readonly description: string;
  /** Empty for a segment of all projects. */
  readonly project: string;
  readonly constraints: readonly ConstraintDraft[];
}

export const NEW_SEGMENT: SegmentDraft = { name: '', description: '', project: '', constraints: [] };

export function draftOfSegment({ name, description, project, constraints }: Schemas['Segment']): SegmentDraft {
  return {
    name,
    description: description ?? '',
    project: project ?? '',
    constraints: constraints.map(draftOfConstraint),
  };
}

function segmentOf({ name, description, project, constraints }: SegmentDraft) {
  return {
    name: name.trim(),
    description: description === '' ? null : description,
    project: project === '' ? null : project,
    constraints: constraints.map(constraintOf),
  };
}

/** Returns why the draft cannot be sent; undefined if it can. */
export function segmentProblem({ name, constraints }: SegmentDraft): string | undefined {
  return name.trim() === '' ? 'The segment needs a name.' : constraintProblem(constraints);
}

export function creationPlan(draft: SegmentDraft): Plan {
  const body = segmentOf(draft);
  return {
    steps: [{ title: `Create the segment ${body.name}`, send: (sending) => createSegment(body, sent(sending)) }],
    readBase: async () => ({ text: '', etag: '*', fields: undefined }),
  };
}

/** Returns an empty plan if nothing was changed. */
export function changePlan(segmentId: number, before: SegmentDraft, draft: SegmentDraft): Plan {
  const body = segmentOf(draft);
  const step: Step = {
    title: `Change the segment ${body.name}`,
    send: (sending) => {
      const { query, with: options } = sent(sending);
      return stepAnswer(api.PUT(SEGMENT, { params: { path: { segmentId }, query }, ...options, body }));
    },
  };
  return {
    steps: isSame(segmentOf(before), body) ? [] : [step],
    readBase: async () => ({
      ...(await seenManifest(api.GET(SEGMENT, { params: { path: { segmentId } }, ...asManifest }))),
      fields: undefined,
    }),
  };
}

function createSegment(body: ReturnType<typeof segmentOf>, { query, with: options }: ReturnType<typeof sent>) {
  // A new object has no version to compare with.
  const { 'If-Match': _, ...headers } = options.headers;
  return stepAnswer(api.POST(SEGMENTS, { params: { query }, ...options, headers, body }));
}
