/** Says which past time a page shows, and leads back to now. */
import type { ReactNode } from 'react';
import { Icon } from '../icons.tsx';
import { zonedTimeText, zoneName } from '../times.ts';
import { type PastTime, utcText } from './past-time.ts';
import '../style/past.css';

interface PastBannerProps {
  readonly past: PastTime;
  readonly onNow: () => void;
  /** Further ways on. */
  readonly children?: ReactNode;
}

const SIDES = { before: ', before a change around this time', after: ', after a change around this time' };

export function PastBanner({ past, onNow, children }: PastBannerProps) {
  const { at, inGap } = past;
  return (
    <section className="past" aria-label="The past">
      <p role="status">
        <Icon name="clock" /> <strong>You look at {utcText(at)}</strong>
        {inGap && SIDES[inGap]}. Nothing can be changed here.{' '}
        {isElsewhere(at) && <span className="hint">{zonedTimeText(at)}</span>}
      </p>
      <p className="buttons">
        {children}
        <button type="button" className="primary" onClick={onNow}>
          Back to now
        </button>
      </p>
    </section>
  );
}

/** Whether the clocks of the viewer show another time. */
function isElsewhere(at: string): boolean {
  return !Number.isNaN(Date.parse(at)) && zoneName() !== 'UTC';
}
