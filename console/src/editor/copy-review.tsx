/** Copies the configuration of a flag from another environment, after a review. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import type { EnvironmentPlace } from '../feature/place.ts';
import { permissionsQuery } from '../queries.ts';
import { HAND_OVER_ENDPOINT } from '../switch/write-switch.ts';
import { ENVIRONMENT_ENDPOINTS } from './flag-paths.ts';
import { planFor } from './flag-plan.ts';
import { copyStep } from './flag-steps.ts';
import { Review } from './review/review.tsx';
import { useBypass } from './use-bypass.ts';

interface CopyReviewProps {
  readonly place: EnvironmentPlace;
  readonly environments: readonly Schemas['ProjectEnvironment'][];
  /** The environment to copy from; empty: the user chooses it. */
  readonly from: string;
  readonly onChoose: (from: string) => void;
  readonly onBack: () => void;
  readonly onSaved: () => void;
}

export function CopyReview({ place, environments, from, onChoose, onBack, onSaved }: CopyReviewProps) {
  const { data: allowed } = useQuery(permissionsQuery(place.projectId, place.environment));
  const bypass = useBypass(place.projectId, place.environment);
  const [plan, setPlan] = useState<ReturnType<typeof planFor>>();
  if (!allowed) return <p className="waiting">Loading…</p>;
  if (!allowed.has(ENVIRONMENT_ENDPOINTS.copy)) return <p className="empty">You may not copy to this environment.</p>;
  const nameOf = (name: string) => environments.find((one) => one.name === name)?.displayName ?? name;
  const source = environments.find(({ name }) => name === from);
  if (!source) return <SourceChoice {...{ place, environments }} onChoose={onChoose} onBack={onBack} />;
  // The plan stays while the permissions are read again.
  if (!plan) {
    const title = `Copy the configuration of ${source.displayName} to ${nameOf(place.environment)}`;
    const steps = [copyStep(place, from, title)];
    setPlan(planFor(place, steps, { mayHandOver: allowed.has(HAND_OVER_ENDPOINT), bypass }));
    return null;
  }
  return (
    <>
      <p className="hint">
        Strategies, variants and the window are replaced. Ramps are copied without their start. The switch stays as it
        is.
      </p>
      <Review plan={plan} onBack={onBack} onDone={onSaved} />
    </>
  );
}

function SourceChoice({
  place,
  environments,
  onChoose,
  onBack,
}: Pick<CopyReviewProps, 'place' | 'environments' | 'onChoose' | 'onBack'>) {
  const others = environments.filter(({ name }) => name !== place.environment);
  return (
    <div className="editor">
      <section>
        <h2>Copy the configuration of another environment</h2>
        <p className="buttons">
          {others.map(({ name, displayName }) => (
            <button key={name} type="button" onClick={() => onChoose(name)}>
              Copy from {displayName}
            </button>
          ))}
          <button type="button" className="quiet" onClick={onBack}>
            Cancel
          </button>
        </p>
      </section>
    </div>
  );
}
