/** A form whose changes are reviewed before they are saved. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useUnsavedChanges } from '../session-end.ts';
import type { Plan } from './review/plan.ts';
import { Review } from './review/review.tsx';

interface ReviewedFormProps {
  /** The plan has no steps if nothing was changed. */
  readonly plan: Plan;
  /** Why the changes cannot be sent; undefined if they can. */
  readonly problem: string | undefined;
  readonly onDiscard: () => void;
  /** Called when the form has changes. */
  readonly onEdit?: () => void;
  readonly onSaved: () => void;
  readonly children: ReactNode;
}

export function ReviewedForm({ plan, problem, onDiscard, onEdit, onSaved, children }: ReviewedFormProps) {
  const [reviewed, setReviewed] = useState<Plan>();
  const button = useRef<HTMLButtonElement>(null);
  const wasReviewed = useRef(false);
  const count = plan.steps.length;
  useEffect(() => {
    if (wasReviewed.current && !reviewed) button.current?.focus();
    wasReviewed.current = reviewed !== undefined;
  }, [reviewed]);
  const isChanged = count > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each beginning of changes
  useEffect(() => {
    if (isChanged) onEdit?.();
  }, [isChanged]);
  useUnsavedChanges(isChanged);
  if (reviewed) return <Review plan={reviewed} onBack={() => setReviewed(undefined)} onDone={onSaved} />;
  return (
    <div className="editor">
      {children}
      <div className="bar">
        <p role="status">{problem ?? changesText(count)}</p>
        <button type="button" disabled={count === 0} onClick={onDiscard}>
          Discard
        </button>
        <button
          ref={button}
          type="button"
          className="primary"
          disabled={count === 0 || problem !== undefined}
          onClick={() => setReviewed(plan)}
        >
          Review
        </button>
      </div>
    </div>
  );
}

function changesText(count: number): string {
  if (count === 0) return 'No changes.';
  return count === 1 ? '1 change, not saved yet.' : `${count} changes, not saved yet.`;
}
