/** Offers both states around a change whose time the history does not know. */
import { useEffect, useRef } from 'react';
import { refusalOf } from '../api.ts';
import { exactUtcText, type GapSide } from './past-time.ts';
import '../style/past.css';

interface UncertainProps {
  readonly between: { readonly from: string; readonly until: string };
  readonly what: string;
  readonly onChoose: (inGap: GapSide) => void;
}

export function Uncertain({ between: { from, until }, what, onChoose }: UncertainProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="uncertain">
      <h2 ref={heading} tabIndex={-1}>
        Uncertain between {exactUtcText(from)} and {exactUtcText(until)}
      </h2>
      <p>
        {what} changed between these two times. The history does not know when, so it does not know the state at the
        time that you look at.
      </p>
      <p className="buttons">
        <button type="button" onClick={() => onChoose('before')}>
          Show the state before
        </button>
        <button type="button" onClick={() => onChoose('after')}>
          Show the state after
        </button>
      </p>
    </section>
  );
}

/** Between which times the state changed, if that is why the API has no answer. */
export function uncertainIn(error: Error | null) {
  return refusalOf(error)?.uncertain;
}
