/** Gives a flag the state of a past time, after a review. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { planFor } from '../editor/flag-plan.ts';
import { restoreStep } from '../editor/flag-steps.ts';
import type { Plan } from '../editor/review/plan.ts';
import { Review } from '../editor/review/review.tsx';
import { useBypass } from '../editor/use-bypass.ts';
import { isMissing } from '../loaded.tsx';
import { permissionsQuery, statusQuery } from '../queries.ts';
import { HAND_OVER_ENDPOINT } from '../switch/write-switch.ts';
import { utcText } from './past-time.ts';
import { RESTORE_ENDPOINT, type RestorePlace } from './restore-place.ts';
import '../style/editor.css';

interface PutBackTabProps {
  readonly place: RestorePlace;
  readonly onBack: () => void;
  readonly onDone: () => void;
}

export function PutBackTab({ place, onBack, onDone }: PutBackTabProps) {
  const { past, ...present } = place;
  const { data: allowed } = useQuery(permissionsQuery(place.projectId));
  const then = useQuery(statusQuery(place));
  const now = useQuery(statusQuery(present));
  const bypass = useBypass(place.projectId, undefined);
  const [plan, setPlan] = useState<Plan>();
  const isGone = isMissing(now.error);
  if (!allowed || !then.data || !(now.data || isGone)) return <p className="waiting">Loading…</p>;
  if (!allowed.has(RESTORE_ENDPOINT)) return <p className="empty">You may not put this flag back.</p>;
  const isOther = now.data !== undefined && now.data.uid !== then.data.uid;
  // The plan stays while the states are read again.
  if (!plan) {
    const title = `Put the flag back to ${utcText(past.at)}`;
    const step = restoreStep(place, isOther ? { uid: then.data.uid } : {}, title);
    setPlan(planFor(present, [step], { mayHandOver: allowed.has(HAND_OVER_ENDPOINT), bypass }));
    return null;
  }
  return (
    <>
      {isOther && (
        <p className="notice">
          The flag of then was deleted, and another one has its name now: that one gets the state of then.
        </p>
      )}
      {isGone && <p className="notice">The flag is gone. It is made again, as a new object.</p>}
      <Review plan={plan} onBack={onBack} onDone={onDone} backLabel="Back to the past" />
    </>
  );
}
