/** Edits the ramp of a strategy: its steps and its start. */
import { zonedTimeText, zoneName } from '../../times.ts';
import { replaced, without } from '../draft/keyed.ts';
import {
  MAX_RAMP_STEPS,
  newRamp,
  newStep,
  type RampDraft,
  type RampStepDraft,
  rampProblem,
} from '../draft/ramp-draft.ts';
import { TimeField } from './time-field.tsx';

interface RampFormProps {
  /** Undefined if the strategy has no ramp. */
  readonly ramp: RampDraft | undefined;
  readonly onChange: (ramp: RampDraft | undefined) => void;
}

export function RampForm({ ramp, onChange }: RampFormProps) {
  if (!ramp) {
    return (
      <button type="button" onClick={() => onChange(newRamp())}>
        Add a ramp
      </button>
    );
  }
  const { steps, start, pausedAt } = ramp;
  const change = (next: readonly RampStepDraft[]) => onChange({ ...ramp, steps: next });
  return (
    <div className="pieces">
      {pausedAt !== undefined && <p className="hint">Paused since {zonedTimeText(pausedAt)}. It stays paused.</p>}
      <TimeField
        label={`Start (${zoneName()})`}
        none="Empty: the ramp waits, with the rollout above."
        time={start}
        onChange={(next) => onChange({ ...ramp, start: next })}
      />
      {start.text !== '' && (
        <p className="hint">The steps count from the start: a change of theirs may change the rollout at once.</p>
      )}
      {steps.map((one, index) => (
        <RampStepForm
          key={one.key}
          number={index + 1}
          step={one}
          isLast={index === steps.length - 1}
          onChange={(next) => change(replaced(steps, next))}
          onRemove={() => change(without(steps, one))}
        />
      ))}
      <p role="alert" className="error">
        {rampProblem(ramp)}
      </p>
      <div className="row end">
        {steps.length < MAX_RAMP_STEPS && (
          <button type="button" onClick={() => change([...steps, newStep()])}>
            Add a step
          </button>
        )}
        <button type="button" className="quiet" onClick={() => onChange(undefined)}>
          Remove the ramp
        </button>
      </div>
    </div>
  );
}

interface RampStepFormProps {
  readonly number: number;
  readonly step: RampStepDraft;
  readonly isLast: boolean;
  readonly onChange: (step: RampStepDraft) => void;
  readonly onRemove: () => void;
}

function RampStepForm({ number, step, isLast, onChange, onRemove }: RampStepFormProps) {
  return (
    <fieldset className="row step">
      <legend>Step {number}</legend>
      <label className="small">
        Rollout in percent
        <input
          inputMode="numeric"
          value={step.percent}
          onChange={({ target }) => onChange({ ...step, percent: target.value })}
        />
      </label>
      {isLast ? (
        <p className="hint">lasts for good</p>
      ) : (
        <label className="small">
          Lasts (1h30m)
          <input value={step.duration} onChange={({ target }) => onChange({ ...step, duration: target.value })} />
        </label>
      )}
      <button type="button" className="quiet" onClick={onRemove}>
        Remove step {number}
      </button>
    </fieldset>
  );
}
