/** Edits the parameters of a strategy, as its type describes them. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { Schemas } from '../../api.generated.ts';
import type { StrategyDraft } from '../draft/strategy-draft.ts';
import { contextQuery } from '../form-queries.ts';
import { pasteLines } from './paste-lines.ts';
import { StickinessChoice } from './stickiness-choice.tsx';

interface ParameterFieldsProps {
  readonly type: Schemas['StrategyType'] | undefined;
  readonly strategy: StrategyDraft;
  readonly onChange: (parameters: StrategyDraft['parameters']) => void;
}

export function ParameterFields({ type, strategy, onChange }: ParameterFieldsProps) {
  const { parameters } = strategy;
  const known = type?.parameters ?? [];
  const others = Object.keys(parameters).filter((name) => known.every((one) => one.name !== name));
  return (
    <>
      {known.map((one) => (
        <ParameterField
          key={one.name}
          parameter={one}
          value={parameters[one.name]}
          onChange={(value) => onChange({ ...parameters, [one.name]: value })}
        />
      ))}
      {others.length > 0 && <p className="hint">Parameters that stay as they are: {others.join(', ')}.</p>}
    </>
  );
}

interface ParameterFieldProps {
  readonly parameter: Schemas['StrategyParameter'];
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const { data: fields = [] } = useQuery(contextQuery);
  const { name, type } = parameter;
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  if (name === 'stickiness') return <StickinessChoice value={text || 'default'} fields={fields} onChange={onChange} />;
  if (type === 'percentage') {
    // Clients accept numbers and text; a value that is stored as text stays text.
    const change = (percent: number) => onChange(typeof value === 'string' ? `${percent}` : percent);
    return <RolloutSlider label={labelOf(name)} percent={Number(text) || 0} onChange={change} />;
  }
  if (type === 'boolean') return <BooleanField parameter={parameter} text={text} onChange={onChange} />;
  return <TextField parameter={parameter} text={text} onChange={onChange} />;
}

interface RolloutSliderProps {
  readonly label: string;
  readonly percent: number;
  readonly onChange: (percent: number) => void;
}

/** A share in percent, as a slider with a number. */
function RolloutSlider({ label, percent, onChange }: RolloutSliderProps) {
  const change = (text: string) => onChange(Math.min(100, Math.max(0, Math.round(Number(text)))));
  return (
    <div className="rollout">
      <label>
        {label}
        <input type="range" min={0} max={100} value={percent} onChange={({ target }) => change(target.value)} />
      </label>
      <label>
        percent
        <input
          type="number"
          min={0}
          max={100}
          step={1}
          value={percent}
          onChange={({ target }) => change(target.value)}
        />
      </label>
    </div>
  );
}

interface TextFieldProps extends Pick<ParameterFieldProps, 'parameter' | 'onChange'> {
  readonly text: string;
}

/** Values are texts, as clients read them. */
function BooleanField({ parameter: { name, description }, text, onChange }: TextFieldProps) {
  const id = useId();
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={text === 'true'}
          aria-describedby={id}
          onChange={({ target }) => onChange(`${target.checked}`)}
        />
        {name}
      </label>
      <p id={id} className="hint">
        {description}
      </p>
    </>
  );
}

/** The words for the parameters of built-in types, whose names SDKs know. */
const WORDS: Readonly<Record<string, string>> = {
  rollout: 'Share of the users',
  percentage: 'Share of the users',
  groupId: 'Group',
  userIds: 'Users',
  IPs: 'Addresses',
  hostNames: 'Hosts',
};

function labelOf(name: string): string {
  const words = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  return words === undefined ? name : `${words} (${name})`;
}

function asList(lines: string): string {
  return lines.split('\n').join(',');
}

/** A list is a text with commas, as clients read it. */
function TextField({ parameter: { name, type, description, required }, text, onChange }: TextFieldProps) {
  const id = useId();
  const isList = type === 'list';
  const common = {
    required,
    'aria-describedby': id,
    value: isList ? text.split(/,\s*/).join('\n') : text,
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: one of the two is in it */}
      <label>
        {labelOf(name)}
        {isList ? (
          <textarea
            {...common}
            rows={Math.min(8, Math.max(3, text.split(',').length))}
            onChange={({ target }) => onChange(asList(target.value))}
            onPaste={(event) => pasteLines(event, (lines) => onChange(asList(lines)))}
          />
        ) : (
          <input
            {...common}
            inputMode={type === 'number' ? 'decimal' : 'text'}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </label>
      <p id={id} className="hint">
        {description} {isList && 'One on each line. A list with commas is pasted as lines.'}
      </p>
    </>
  );
}
