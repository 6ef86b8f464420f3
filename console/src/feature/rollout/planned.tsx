/** Shows what time alone changes for a flag in an environment. */
import { useContext } from 'react';
import type { Schemas } from '../../api.generated.ts';
import { IsPast } from '../../past/use-past-time.ts';
import { planOf } from '../../switch/environment-state.tsx';
import { zonedTimeText } from '../../times.ts';

interface PlannedProps {
  readonly state: Schemas['EnvironmentStatus'];
  readonly here: Schemas['FeatureEnvironment'];
}

const WINDOWS = { Scheduled: 'scheduled', Open: 'open', Closed: 'closed' } as const;

export function Planned({ state, here }: PlannedProps) {
  const { window, ramps, nextChangeAt } = state;
  const isPast = useContext(IsPast);
  if (window === null && ramps.length === 0) return null;
  return (
    <>
      <h3>Planned</h3>
      <dl className="planned">
        <dt>Asked</dt>
        <dd>{onOff(state.asked)}</dd>
        <dt>{isPast ? 'In effect then' : 'In effect now'}</dt>
        <dd>{planOf(state) === undefined ? onOff(state.inEffect) : 'On for nobody yet, as planned'}</dd>
        {window !== null && (
          <>
            <dt>Window</dt>
            <dd>
              {windowText(here)} ({WINDOWS[window]})
            </dd>
          </>
        )}
        <dt>Next change</dt>
        <dd>{nextChangeAt === null ? 'None is planned' : zonedTimeText(nextChangeAt)}</dd>
      </dl>
    </>
  );
}

function onOff(isOn: boolean): string {
  return isOn ? 'On' : 'Off';
}

function windowText({ activeFrom, activeUntil }: PlannedProps['here']): string {
  const from = activeFrom === undefined ? [] : [`from ${zonedTimeText(activeFrom)}`];
  const until = activeUntil === undefined ? [] : [`until ${zonedTimeText(activeUntil)}`];
  return [...from, ...until].join(' ');
}
