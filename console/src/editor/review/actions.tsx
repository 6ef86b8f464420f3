/** The buttons below a review. */
import type { Preview } from './plan.ts';

interface ReviewActionsProps {
  readonly previews: readonly Preview[];
  readonly isSaving: boolean;
  readonly backLabel: string;
  readonly onBack: () => void;
  readonly onSave: (isForced: boolean) => void;
}

export function ReviewActions({ previews, isSaving, backLabel, onBack, onSave }: ReviewActionsProps) {
  const isRefused = previews.some(({ after }) => after === undefined);
  const isOwned = previews.some(({ refusal }) => refusal !== undefined);
  return (
    <div className="actions">
      <button type="button" onClick={onBack} disabled={isSaving}>
        {backLabel}
      </button>
      {isOwned && !isRefused && (
        <button type="button" className="danger" disabled={isSaving} onClick={() => onSave(true)}>
          Force the change
        </button>
      )}
      {!isOwned && (
        <button type="button" className="primary" disabled={isSaving} onClick={() => onSave(false)}>
          {isSaving ? 'Saving…' : 'Save'}
        </button>
      )}
    </div>
  );
}
