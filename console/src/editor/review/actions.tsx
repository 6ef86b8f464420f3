/** The buttons below a review. */
import type { FormEvent } from 'react';
import type { Bypass } from '../../write/bypass.ts';
import { ReasonField, reasonIn } from '../../write/reason-field.tsx';
import type { Preview } from './plan.ts';

export interface HowToSave {
  readonly isForced: boolean;
  /** Why the change is made. */
  readonly reason: string | undefined;
}

interface ReviewActionsProps {
  readonly previews: readonly Preview[];
  readonly bypass: Bypass | undefined;
  readonly isSaving: boolean;
  readonly backLabel: string;
  readonly onBack: () => void;
  readonly onSave: (how: HowToSave) => void;
}

export function ReviewActions({ previews, bypass, isSaving, backLabel, onBack, onSave }: ReviewActionsProps) {
  const isRefused = previews.some(({ after }) => after === undefined);
  const isForced = previews.some(({ refusal }) => refusal !== undefined);
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSave({ isForced, reason: reasonIn(event.currentTarget) });
  };
  return (
    <form onSubmit={save}>
      {!isRefused && <ReasonField bypass={bypass} />}
      <div className="actions">
        <button type="button" onClick={onBack} disabled={isSaving}>
          {backLabel}
        </button>
        {!isRefused && (
          <button type="submit" className={isForced ? 'danger' : 'primary'} disabled={isSaving}>
            {isForced ? 'Force the change' : isSaving ? 'Saving…' : 'Save'}
          </button>
        )}
      </div>
    </form>
  );
}
