/** Edits a list of variants, whose weights add up to 100 %. */
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api.generated.ts';
import { Select } from '../../select.tsx';
import { newKey, replaced, without } from '../draft/keyed.ts';
import { newVariant, PAYLOAD_TYPES, type VariantDraft, weightProblem, weightsOf } from '../draft/variant-draft.ts';
import { contextQuery } from '../form-queries.ts';
import { StickinessChoice } from './stickiness-choice.tsx';

interface VariantListProps {
  readonly variants: readonly VariantDraft[];
  readonly onChange: (variants: readonly VariantDraft[]) => void;
  /** False for variants of strategies, which have no overrides. */
  readonly hasOverrides: boolean;
  /** The owner of the variants, such as "strategy 1"; absent for those of the environment. */
  readonly of?: string;
}

export function VariantList({ variants, onChange, hasOverrides, of }: VariantListProps) {
  const { data: fields = [] } = useQuery(contextQuery);
  const weights = weightsOf(variants);
  const stickiness = variants[0]?.stickiness ?? 'default';
  const problem = weightProblem(variants);
  return (
    <div className="pieces">
      {variants.length > 0 && <Weights variants={variants} weights={weights} />}
      {variants.map((one, index) => (
        <VariantForm
          key={one.key}
          label={`Variant ${index + 1}${of === undefined ? '' : ` of ${of}`}`}
          variant={one}
          weight={weights[index] ?? 0}
          fields={hasOverrides ? fields : undefined}
          onChange={(next) => onChange(replaced(variants, next))}
          onRemove={() => onChange(without(variants, one))}
        />
      ))}
      <p role="alert" className="error">
        {problem}
      </p>
      {variants.length > 1 && (
        <StickinessChoice
          value={stickiness}
          fields={fields}
          onChange={(next) => onChange(variants.map((one) => ({ ...one, stickiness: next })))}
        />
      )}
      <button type="button" onClick={() => onChange([...variants, newVariant(stickiness)])}>
        Add a variant
      </button>
    </div>
  );
}

/** Hidden from screen readers, because each form says its share. */
function Weights({
  variants,
  weights,
}: {
  readonly variants: readonly VariantDraft[];
  readonly weights: readonly number[];
}) {
  return (
    <svg className="weights" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
      {variants.map(({ key }, index) => (
        <rect
          key={key}
          className={`share-${index % SHADES}`}
          x={weights.slice(0, index).reduce((sum, one) => sum + one, 0)}
          width={weights[index]}
          height={12}
        />
      ))}
    </svg>
  );
}

const SHADES = 4;

const WEIGHTS = [
  ['variable', 'shares the rest'],
  ['fix', 'is fixed'],
] as const;

interface VariantFormProps {
  readonly label: string;
  readonly variant: VariantDraft;
  /** The weight in thousandths. */
  readonly weight: number;
  /** The context fields for overrides; undefined if the variant can have no overrides. */
  readonly fields: readonly Schemas['ContextField'][] | undefined;
  readonly onChange: (variant: VariantDraft) => void;
  readonly onRemove: () => void;
}

function VariantForm({ label, variant, weight, fields, onChange, onRemove }: VariantFormProps) {
  const { name, isFixed, percent } = variant;
  return (
    <fieldset className="piece">
      <legend>{label}</legend>
      <div className="row">
        <label>
          Name
          <input value={name} required onChange={({ target }) => onChange({ ...variant, name: target.value })} />
        </label>
        <Select
          label="Weight"
          of={WEIGHTS}
          value={isFixed ? 'fix' : 'variable'}
          onChange={(type) => onChange({ ...variant, isFixed: type === 'fix', percent: `${weight / 10}` })}
        />
        {isFixed ? (
          <label className="small">
            Percent
            <input
              type="number"
              min={0}
              max={100}
              step={0.1}
              value={percent}
              onChange={({ target }) => onChange({ ...variant, percent: target.value })}
            />
          </label>
        ) : (
          <output className="share">{weight / 10} %</output>
        )}
      </div>
      <Payload variant={variant} onChange={onChange} />
      {fields && <Overrides variant={variant} fields={fields} onChange={onChange} />}
      <div className="row end">
        {fields && (
          <button type="button" className="quiet" onClick={() => onChange(withOverride(variant))}>
            Add an override
          </button>
        )}
        <button type="button" className="quiet" onClick={onRemove}>
          Remove {label.toLowerCase()}
        </button>
      </div>
    </fieldset>
  );
}

function withOverride(variant: VariantDraft): VariantDraft {
  return { ...variant, overrides: [...variant.overrides, { key: newKey(), contextName: 'userId', text: '' }] };
}

type PartProps = Pick<VariantFormProps, 'variant' | 'onChange'>;

function Payload({ variant, onChange }: PartProps) {
  const { payloadType, payload } = variant;
  return (
    <div className="row">
      <Select
        label="Payload"
        none="none"
        of={PAYLOAD_TYPES.map((type) => [type, type])}
        value={payloadType}
        onChange={(type) => onChange({ ...variant, payloadType: PAYLOAD_TYPES.find((one) => one === type) ?? '' })}
      />
      {payloadType !== '' && (
        <label className="wide">
          Value of the payload
          <textarea
            rows={Math.min(8, payload.split('\n').length)}
            value={payload}
            onChange={({ target }) => onChange({ ...variant, payload: target.value })}
          />
        </label>
      )}
    </div>
  );
}

function Overrides({ variant, fields, onChange }: PartProps & { readonly fields: readonly Schemas['ContextField'][] }) {
  const { overrides } = variant;
  const change = (next: VariantDraft['overrides']) => onChange({ ...variant, overrides: next });
  return (
    <>
      {overrides.map((one) => (
        <div key={one.key} className="row">
          <Select
            label="Always for"
            of={[...new Set([one.contextName, ...fields.map(({ name }) => name)])].map((name) => [name, name])}
            value={one.contextName}
            onChange={(contextName) => change(replaced(overrides, { ...one, contextName }))}
          />
          <label className="wide">
            Values, one on each line
            <textarea
              rows={2}
              value={one.text}
              onChange={({ target }) => change(replaced(overrides, { ...one, text: target.value }))}
            />
          </label>
          <button type="button" className="quiet" onClick={() => change(without(overrides, one))}>
            Remove override
          </button>
        </div>
      ))}
    </>
  );
}
