/** Edits the window of a flag in an environment. */
import { zoneName } from '../../times.ts';
import { type WindowDraft, windowProblem } from '../draft/window-draft.ts';
import { TimeField } from './time-field.tsx';

interface WindowFormProps {
  readonly draft: WindowDraft;
  readonly onChange: (draft: WindowDraft) => void;
}

export function WindowForm({ draft, onChange }: WindowFormProps) {
  return (
    <>
      <p className="hint">
        With the switch on, the flag is on between these times only. They are in your time zone, {zoneName()}.
      </p>
      <div className="row start">
        <TimeField
          label="Active from"
          none="Empty: from now on."
          time={draft.from}
          onChange={(from) => onChange({ ...draft, from })}
        />
        <TimeField
          label="Active until"
          none="Empty: without end."
          time={draft.until}
          onChange={(until) => onChange({ ...draft, until })}
        />
      </div>
      <p role="alert" className="error">
        {windowProblem(draft)}
      </p>
    </>
  );
}
