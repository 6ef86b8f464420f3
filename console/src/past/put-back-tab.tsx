/** Gives a flag the state of a past time, after a review. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FLAG_ENDPOINTS } from '../editor/flag-paths.ts';
import { planFor } from '../editor/flag-plan.ts';
import { restoreStep } from '../editor/flag-steps.ts';
import type { Plan } from '../editor/review/plan.ts';
import { Review } from '../editor/review/review.tsx';
import { useBypass } from '../editor/use-bypass.ts';
import type { RestorePlace } from '../feature/place.ts';
import { isMissing, Loaded } from '../loaded.tsx';
import { permissionsQuery, statusQuery } from '../queries.ts';
import { HAND_OVER_ENDPOINT } from '../switch/write-switch.ts';
import { utcText } from './past-time.ts';
import '../style/editor.css';

interface PutBackTabProps {
  readonly place: RestorePlace;
  readonly onBack: () => void;
  readonly onDone: () => void;
}

/** A flag that is gone can be put back. */
export function PutBackTab(props: PutBackTabProps) {
  const { past: _, ...present } = props.place;
  const permissions = useQuery(permissionsQuery(props.place.projectId));
  const then = useQuery(statusQuery(props.place));
  const now = useQuery(statusQuery(present));
  const uidNow = isMissing(now.error) ? 'gone' : now.data?.uid;
  return (
    <Loaded query={permissions}>
      {(allowed) =>
        allowed.has(FLAG_ENDPOINTS.restore) ? (
          <Loaded query={then}>
            {(was) => (
              <Loaded query={{ ...now, data: uidNow }}>
                {(uid) => (
                  <PutBack {...props} uids={{ was: was.uid, now: uid }} mayHandOver={allowed.has(HAND_OVER_ENDPOINT)} />
                )}
              </Loaded>
            )}
          </Loaded>
        ) : (
          <p className="empty">You may not put this flag back.</p>
        )
      }
    </Loaded>
  );
}

interface PutBackProps extends PutBackTabProps {
  readonly uids: { readonly was: string; readonly now: string | 'gone' };
  readonly mayHandOver: boolean;
}

function PutBack({ place, uids, mayHandOver, onBack, onDone }: PutBackProps) {
  const { past, ...present } = place;
  const bypass = useBypass(place.projectId, undefined);
  const [plan, setPlan] = useState<Plan>();
  const isOther = uids.now !== 'gone' && uids.now !== uids.was;
  // The plan stays while the states are read again.
  if (!plan) {
    const title = `Put the flag back to ${utcText(past.at)}`;
    const step = restoreStep(place, isOther ? { uid: uids.was } : {}, title);
    setPlan(planFor(present, [step], { mayHandOver, bypass }));
    return null;
  }
  return (
    <>
      {isOther && (
        <p className="notice">
          The flag of then was deleted, and another one has its name now: that one gets the state of then.
        </p>
      )}
      {uids.now === 'gone' && <p className="notice">The flag is gone. It is made again, as a new object.</p>}
      <Review plan={plan} onBack={onBack} onDone={onDone} backLabel="Back to the past" />
    </>
  );
}
