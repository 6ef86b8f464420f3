/** Edits one strategy. */
import { useId } from 'react';
import type { Schemas } from '../../api.generated.ts';
import { Options } from '../../select.tsx';
import { RAMP_TYPE } from '../draft/ramp-draft.ts';
import { firstParameters, type StrategyDraft } from '../draft/strategy-draft.ts';
import { ConstraintList } from './constraint-list.tsx';
import { ParameterFields } from './parameter-fields.tsx';
import { RampForm } from './ramp-form.tsx';
import { SegmentChoice } from './segment-choice.tsx';
import { VariantList } from './variant-list.tsx';

export interface StrategyFormProps {
  readonly strategy: StrategyDraft;
  /** The name of the strategy in the form, such as "strategy 1". */
  readonly label: string;
  readonly types: readonly Schemas['StrategyType'][];
  readonly place: { readonly projectId: string; readonly featureName: string };
  readonly onChange: (strategy: StrategyDraft) => void;
}

export function StrategyForm({ strategy, label, types, place, onChange }: StrategyFormProps) {
  const type = types.find(({ name }) => name === strategy.name);
  return (
    <div className="strategy-form">
      <TypeAndTitle strategy={strategy} types={types} place={place} onChange={onChange} />
      <ParameterFields
        type={type}
        strategy={strategy}
        onChange={(parameters) => onChange({ ...strategy, parameters })}
      />
      {strategy.name === RAMP_TYPE && (
        <Part title="Ramp" count={strategy.ramp?.steps.length ?? 0}>
          <RampForm ramp={strategy.ramp} onChange={(ramp) => onChange({ ...strategy, ramp })} />
        </Part>
      )}
      <Part title="Constraints" count={strategy.constraints.length}>
        <ConstraintList
          constraints={strategy.constraints}
          onChange={(constraints) => onChange({ ...strategy, constraints })}
        />
      </Part>
      <Part title="Segments" count={strategy.segments.length}>
        <SegmentChoice
          projectId={place.projectId}
          segments={strategy.segments}
          onChange={(segments) => onChange({ ...strategy, segments })}
        />
      </Part>
      <Part title="Variants of the strategy" count={strategy.variants.length}>
        <VariantList
          of={label}
          variants={strategy.variants}
          hasOverrides={false}
          onChange={(variants) => onChange({ ...strategy, variants })}
        />
      </Part>
    </div>
  );
}

function TypeAndTitle({ strategy, types, place, onChange }: Omit<StrategyFormProps, 'label'>) {
  const id = useId();
  const type = types.find(({ name }) => name === strategy.name);
  const offered = types.filter(({ name, deprecated }) => !deprecated || name === strategy.name);
  const choose = (name: string) => {
    const next = types.find((one) => one.name === name);
    if (!next) return;
    const ramp = name === RAMP_TYPE ? strategy.ramp : undefined;
    onChange({ ...strategy, name, ramp, parameters: firstParameters(next, place.featureName) });
  };
  return (
    <>
      <div className="row">
        <label>
          Type
          <select value={strategy.name} aria-describedby={id} onChange={({ target }) => choose(target.value)}>
            {!type && <option value={strategy.name}>{strategy.name} (unknown)</option>}
            <Options of={offered.map(({ name, displayName }) => [name, displayName || name])} />
          </select>
        </label>
        <label className="wide">
          Title
          <input value={strategy.title} onChange={({ target }) => onChange({ ...strategy, title: target.value })} />
        </label>
      </div>
      <p id={id} className="hint">
        {type?.description}
      </p>
      <label className="check">
        <input
          type="checkbox"
          checked={strategy.disabled}
          onChange={({ target }) => onChange({ ...strategy, disabled: target.checked })}
        />
        Disabled
      </label>
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly count: number;
  readonly children: React.ReactNode;
}

/** Is open if it has content. */
function Part({ title, count, children }: PartProps) {
  const id = useId();
  return (
    <details open={count > 0}>
      <summary id={id}>
        {title} <span className="mark">{count}</span>
      </summary>
      {children}
    </details>
  );
}
