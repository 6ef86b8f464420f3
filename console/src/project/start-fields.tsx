/** Where a new flag is switched on at once, and for whom. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Dialog } from '../dialog/dialog.tsx';
import type { FeaturePlace } from '../feature/place.ts';
import { freezeText } from '../freeze-notice.tsx';
import { environmentsQuery } from '../queries.ts';
import { START_ENDPOINTS, startFor } from '../switch/write-switch.ts';
import { useEnvironmentsAllowing } from '../use-allowed.ts';

/** An environment in which the flag is switched on. */
export interface Start {
  readonly environment: string;
  /** The share of the users. */
  readonly percent: number;
}

const [ENVIRONMENT, PERCENT] = ['startIn', 'startPercent'];

export function StartFields({ projectId }: { readonly projectId: string }) {
  const { data: environments = [] } = useQuery(environmentsQuery(projectId));
  const offered = useEnvironmentsAllowing(projectId, environments, START_ENDPOINTS) ?? [];
  const id = useId();
  if (offered.length === 0) return null;
  return (
    <fieldset aria-describedby={id}>
      <legend>Switch it on at once</legend>
      {offered.map(({ name, displayName, freeze, ...environment }) => (
        <label key={name} className="check">
          <input type="checkbox" name={ENVIRONMENT} value={name} disabled={freeze !== null} />
          <span>
            in {displayName} {environment.protected && <span className="mark warning">protected</span>}
            {freeze && <span className="mark warning">frozen: {freezeText(freeze)}</span>}
          </span>
        </label>
      ))}
      <label className="check share">
        for
        <input type="number" name={PERCENT} min={1} max={100} step={1} defaultValue={100} />% of the users
      </label>
      <p id={id} className="hint">
        Elsewhere the flag is off until you add a strategy and switch it on. The YAML for Git has the flag without
        strategies.
      </p>
    </fieldset>
  );
}

export function startsIn(form: HTMLFormElement): readonly Start[] {
  const data = new FormData(form);
  const percent = Number(data.get(PERCENT));
  return data.getAll(ENVIRONMENT).map((environment) => ({ environment: `${environment}`, percent }));
}

interface WantedStarts {
  readonly starts: readonly Start[];
  readonly reason: string | undefined;
}

/** Returns why the flag was not switched on, for each environment where it was not. */
export async function start(flag: FeaturePlace, { starts, reason }: WantedStarts): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const { environment, percent } of starts) {
    try {
      await startFor({ ...flag, environment }, { percent, reason });
    } catch (error) {
      failures.push(`${environment}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return failures;
}

export interface UnstartedProps {
  readonly name: string;
  readonly failures: readonly string[];
  readonly onClose: () => void;
}

export function Unstarted({ name, failures, onClose }: UnstartedProps) {
  return (
    <Dialog title={`${name} is created, but not on everywhere`} onClose={onClose}>
      <ul className="message">
        {failures.map((failure) => (
          <li key={failure}>{failure}</li>
        ))}
      </ul>
      <div className="actions">
        <button type="button" className="primary" onClick={onClose}>
          Open the flag
        </button>
      </div>
    </Dialog>
  );
}
