/** Shows what a plan would change and whose fields it touches; then saves it step by step. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { ApiError } from '../../api.ts';
import { Loaded } from '../../loaded.tsx';
import { OF_OBJECTS } from '../../queries.ts';
import { AskForm } from '../../requests/ask-form.tsx';
import { DRAFT, READ_ONCE } from '../draft-query.ts';
import { type HowToSave, ReviewActions } from './actions.tsx';
import { Difference } from './difference-view.tsx';
import type { Plan, Step, StepAnswer } from './plan.ts';
import { type Previews, previewsOf } from './preview.ts';
import { StepPreview } from './step-preview.tsx';

interface ReviewProps {
  readonly plan: Plan;
  /** Called if nothing was saved. */
  readonly onBack: () => void;
  /** Called if some or all steps were saved. */
  readonly onDone: () => void;
  /** Absent: the review is of an edit. */
  readonly backLabel?: string;
}

interface Progress {
  /** Grows with each attempt to save. */
  readonly attempt: number;
  readonly saved: readonly string[];
  readonly left: readonly Step[];
  /** Why the first of the remaining steps was not saved. */
  readonly error: Error | undefined;
  /** The manifest that was reviewed before the attempt. */
  readonly reviewed: string | undefined;
}

export function Review({ plan, onBack, onDone, backLabel = 'Back to editing' }: ReviewProps) {
  const [progress, setProgress] = useState<Progress>({
    ...{ attempt: 0, saved: [], left: plan.steps },
    ...{ error: undefined, reviewed: undefined },
  });
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt ends with another review
  useEffect(() => heading.current?.focus(), [progress.attempt]);
  const preview = usePreview(plan, progress);
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: ({ previews, how }: Saving) => save(previews, progress, how),
    onSuccess: async (next) => {
      await client.invalidateQueries(OF_OBJECTS);
      if (next.left.length === 0) onDone();
      else setProgress(next);
    },
  });
  return (
    <section className="review">
      <h2 ref={heading} tabIndex={-1}>
        Review before saving
      </h2>
      <Outcome progress={progress} />
      <Loaded query={preview}>
        {(previews) => (
          <>
            <OthersChanges progress={progress} present={previews.base.text} />
            <ol className="steps">
              {previews.steps.map((one) => (
                <li key={one.step.title}>
                  <StepPreview preview={one} base={previews.base} handOver={plan.handOver} />
                </li>
              ))}
            </ol>
            <Asking steps={previews.steps} />
            <ReviewActions
              previews={previews.steps}
              isSaving={saving.isPending}
              backLabel={progress.saved.length > 0 ? 'Discard the rest' : backLabel}
              onBack={progress.saved.length > 0 ? onDone : onBack}
              bypass={plan.bypass}
              onSave={(how) => saving.mutate({ previews, how })}
            />
          </>
        )}
      </Loaded>
    </section>
  );
}

/** One request asks for one step: a second one would start from a flag that the first one changes. */
function Asking({ steps }: { readonly steps: Previews['steps'] }) {
  const needing = steps.filter(({ refusal }) => refusal?.body?.name === 'ApprovalRequiredError');
  const [only, ...others] = needing;
  if (!only) return null;
  if (others.length > 0) return <p className="hint">Save one of these changes at a time to ask for its approval.</p>;
  return <AskForm ask={async (reason) => void (await only.step.send({ ask: true, reason }))} />;
}

/** Reads the previews once, because the user decides on what is shown, and again after steps were saved. */
function usePreview(plan: Plan, { attempt, left }: Progress) {
  const id = useId();
  return useQuery({
    queryKey: [DRAFT, id, attempt],
    queryFn: () => previewsOf(plan, left),
    ...READ_ONCE,
  });
}

interface Saving {
  readonly previews: Previews;
  readonly how: HowToSave;
}

/**
 * Ends at the first step that fails. Each step is sent with the version that the previous one has left, so that Vexil
 * notices changes of others in between.
 */
async function save({ base }: Previews, { attempt, saved, left }: Progress, how: HowToSave): Promise<Progress> {
  const done: string[] = [];
  const after = (index: number, error: Error | undefined): Progress => ({
    ...{ attempt: attempt + 1, saved: [...saved, ...done], left: left.slice(index) },
    ...{ error, reviewed: base.text },
  });
  let { etag } = base;
  for (const [index, step] of left.entries()) {
    try {
      const answer = await step.send({ ...(how.isForced && { force: true }), reason: how.reason, etag });
      done.push(step.title);
      if (index + 1 < left.length) etag = versionIn(answer);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return after(done.length, error);
    }
  }
  return after(left.length, undefined);
}

/** Throws for a replica of an earlier release, which names no version; the remaining steps are reviewed again. */
function versionIn({ etag }: StepAnswer): string {
  if (etag === undefined) throw new Error('Vexil did not say which version it has saved.');
  return etag;
}

function Outcome({ progress: { saved, left, error } }: { readonly progress: Progress }) {
  if (!error) return null;
  const [failed, ...rest] = left.map(({ title }) => title);
  return (
    <div className="outcome" role="alert">
      <p className="error">
        Not saved: {failed}. {isOutdated(error) ? 'Somebody else has made a change meanwhile.' : error.message}
      </p>
      {saved.length === 0 ? <p>Nothing was saved.</p> : <p>Saved: {saved.join('; ')}.</p>}
      {rest.length > 0 && <p>Not tried: {rest.join('; ')}.</p>}
      <p>What is not saved is reviewed again below: save it, or leave it.</p>
    </div>
  );
}

function isOutdated(error: Error | undefined): boolean {
  return error instanceof ApiError && error.status === 412;
}

interface OthersChangesProps {
  readonly progress: Progress;
  readonly present: string;
}

/** Compares the state that the next attempt starts from with the state of the last review. */
function OthersChanges({ progress: { error, saved, reviewed }, present }: OthersChangesProps) {
  if (reviewed === undefined || !isOutdated(error)) return null;
  return (
    <section>
      <h3>Changed since the review{saved.length > 0 && ', with what was saved'}</h3>
      <Difference before={reviewed} after={present} label="Changed since the review" />
    </section>
  );
}
