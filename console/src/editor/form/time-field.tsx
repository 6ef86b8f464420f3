/** A time in the zone of the viewer. */
import { useId } from 'react';
import { zonedTimeText } from '../../times.ts';
import { type TimeDraft, timeOf } from '../draft/time-draft.ts';

interface TimeFieldProps {
  readonly label: string;
  /** Describes what an empty time means. */
  readonly none: string;
  readonly time: TimeDraft;
  readonly onChange: (time: TimeDraft) => void;
  /** Whether the seconds can be chosen. */
  readonly isExact?: boolean;
}

const WITHOUT_SECONDS = '2026-12-01T08:00'.length;

export function TimeField({ label, none, time, onChange, isExact = false }: TimeFieldProps) {
  const id = useId();
  const { text, isIncomplete } = time;
  const chosen = timeOf(time);
  return (
    <div className="time">
      <label>
        {label}
        <input
          type="datetime-local"
          max="9999-12-31T23:59"
          step={isExact || text.length > WITHOUT_SECONDS ? 1 : 60}
          value={text}
          aria-describedby={id}
          onChange={({ target: { value, validity } }) =>
            onChange({ ...time, text: value, isIncomplete: validity.badInput })
          }
        />
      </label>
      <p id={id} className="hint">
        {isIncomplete ? 'Not complete.' : chosen === undefined ? none : zonedTimeText(chosen)}
      </p>
    </div>
  );
}
