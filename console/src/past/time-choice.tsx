/** The choice of the time whose state the page shows. */
import { type FormEvent, useState } from 'react';
import { draftOfTime, timeOf, timeProblem } from '../editor/draft/time-draft.ts';
import { TimeField } from '../editor/form/time-field.tsx';
import { Icon } from '../icons.tsx';
import { hoursAgo, type PastTime, utcText } from './past-time.ts';
import '../style/past.css';

const AGO = [
  ['An hour ago', 1],
  ['A day ago', 24],
  ['A week ago', 7 * 24],
] as const;

interface TimeChoiceProps {
  readonly past: PastTime | undefined;
  readonly onShow: (past: PastTime) => void;
}

export function TimeChoice({ past, onShow }: TimeChoiceProps) {
  return (
    <details className="as-of" key={past?.at}>
      <summary>
        <Icon name="clock" />
        {past ? `As of ${utcText(past.at)}` : 'As of now'}
      </summary>
      <TimeForm {...{ past, onShow }} />
    </details>
  );
}

function TimeForm({ past, onShow }: TimeChoiceProps) {
  const [time, setTime] = useState(() => draftOfTime(isTime(past?.at) ? past?.at : undefined));
  const chosen = timeOf(time);
  const isChosen = chosen !== undefined && timeProblem(time) === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChosen) onShow({ at: isTime(chosen) ? new Date(chosen).toISOString() : chosen });
  };
  return (
    <form onSubmit={submit} aria-label="The time to look at">
      <TimeField
        label="Show the state at"
        none="Choose a time that has passed."
        time={time}
        onChange={setTime}
        isExact
      />
      <p className="buttons">
        {AGO.map(([name, hours]) => (
          <button key={name} type="button" className="quiet" onClick={() => onShow({ at: hoursAgo(hours) })}>
            {name}
          </button>
        ))}
      </p>
      <button type="submit" className="primary" disabled={!isChosen}>
        Show
      </button>
    </form>
  );
}

function isTime(text: string | undefined): text is string {
  return !Number.isNaN(Date.parse(text ?? ''));
}
