/** Edits the strategies and variants of a flag in one environment. */
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import type { EnvironmentPlace } from '../feature/place.ts';
import { useSegmentNames } from '../feature/segment-names.ts';
import { strategySentence } from '../feature/sentences.ts';
import { permissionsQuery } from '../queries.ts';
import { strategyTypesQuery } from '../strategies/strategy-types-query.ts';
import { HAND_OVER_ENDPOINT } from '../switch/write-switch.ts';
import {
  draftOfEnvironment,
  type EnvironmentDraft,
  environmentProblem,
  environmentSteps,
  nameOf,
} from './draft/environment-draft.ts';
import { moved, replaced, without } from './draft/keyed.ts';
import { newStrategy, type StrategyDraft, shownStrategy } from './draft/strategy-draft.ts';
import { useKeptDraft } from './draft/use-kept-draft.ts';
import { ENVIRONMENT_ENDPOINTS, FLAG_ENDPOINTS } from './flag-paths.ts';
import { planFor } from './flag-plan.ts';
import { StrategyForm } from './form/strategy-form.tsx';
import { VariantList } from './form/variant-list.tsx';
import { WindowForm } from './form/window-form.tsx';
import { ReviewedForm } from './reviewed-form.tsx';
import { useBypass } from './use-bypass.ts';

interface EnvironmentEditorProps {
  readonly place: EnvironmentPlace;
  readonly stored: Schemas['FeatureEnvironment'];
  readonly onEdit: () => void;
  readonly onSaved: () => void;
}

export function EnvironmentEditor({ place, stored, onEdit, onSaved }: EnvironmentEditorProps) {
  const { data: types = [] } = useQuery(strategyTypesQuery);
  const { data: allowed } = useQuery(permissionsQuery(place.projectId, place.environment));
  const bypass = useBypass(place.projectId, place.environment);
  const key = `${place.projectId}/${place.featureName} in ${place.environment}`;
  const { before, draft, ...kept } = useKeptDraft(key, () => draftOfEnvironment(stored));
  const setDraft = kept.change;
  const steps = environmentSteps(place, before, draft);
  if (!allowed) return <p className="waiting">Loading…</p>;
  const may = (endpoint: string) => allowed.has(endpoint);
  return (
    <ReviewedForm
      plan={planFor(place, steps, { mayHandOver: may(HAND_OVER_ENDPOINT), bypass })}
      problem={environmentProblem(draft)}
      onDiscard={kept.discard}
      onEdit={onEdit}
      onSaved={() => {
        kept.forget();
        onSaved();
      }}
    >
      {may(ENVIRONMENT_ENDPOINTS.window) && (
        <section>
          <h2>Window</h2>
          <WindowForm draft={draft.window} onChange={(window) => setDraft({ ...draft, window })} />
        </section>
      )}
      <Strategies place={place} draft={draft} types={types} allowed={allowed} onChange={setDraft} />
      {may(ENVIRONMENT_ENDPOINTS.variants) && (
        <section>
          <h2>Variants</h2>
          <VariantList
            variants={draft.variants}
            hasOverrides
            onChange={(variants) => setDraft({ ...draft, variants })}
          />
          {may(FLAG_ENDPOINTS.variants) && (
            <label className="check">
              <input
                type="checkbox"
                checked={draft.isForAll}
                onChange={({ target }) => setDraft({ ...draft, isForAll: target.checked })}
              />
              Use this list in every environment, instead of the lists that they have
            </label>
          )}
        </section>
      )}
    </ReviewedForm>
  );
}

interface StrategiesProps extends Pick<EnvironmentEditorProps, 'place'> {
  readonly draft: EnvironmentDraft;
  readonly types: readonly Schemas['StrategyType'][];
  /** The endpoints that the user may call. */
  readonly allowed: ReadonlySet<string>;
  readonly onChange: (draft: EnvironmentDraft) => void;
}

function Strategies({ place, draft, types, allowed, onChange }: StrategiesProps) {
  const nameOfSegment = useSegmentNames();
  const { strategies } = draft;
  const change = (next: readonly StrategyDraft[]) => onChange({ ...draft, strategies: next });
  const [first] = types.toSorted((a, b) => Number(b.name === PREFERRED) - Number(a.name === PREFERRED));
  return (
    <section>
      <h2>Strategies</h2>
      {strategies.length === 0 && <p className="hint">None: the flag is off here, whatever its switch says.</p>}
      <ol className="pieces">
        {strategies.map((one) => (
          <li key={one.key} className="piece">
            <StrategyHead draft={draft} strategy={one} allowed={allowed} onChange={change} />
            <p className="sentence">{strategySentence(shownStrategy(one), nameOfSegment)}</p>
            {(one.id === undefined || allowed.has(ENVIRONMENT_ENDPOINTS.change)) && (
              <details open={one.id === undefined || strategies.length <= MAX_OPEN}>
                <summary>Settings of {labelOf(draft, one)}</summary>
                <StrategyForm
                  strategy={one}
                  label={labelOf(draft, one)}
                  types={types}
                  place={place}
                  onChange={(next) => change(replaced(strategies, next))}
                />
              </details>
            )}
          </li>
        ))}
      </ol>
      {allowed.has(ENVIRONMENT_ENDPOINTS.add) && first && (
        <button type="button" onClick={() => change([...strategies, newStrategy(first, place.featureName)])}>
          Add a strategy
        </button>
      )}
    </section>
  );
}

/** More strategies are folded, so that the page stays short. New ones are open. */
const MAX_OPEN = 2;

function labelOf({ strategies }: EnvironmentDraft, strategy: StrategyDraft): string {
  return `strategy ${strategies.indexOf(strategy) + 1}`;
}

/** The type of a new strategy. */
const PREFERRED = 'flexibleRollout';

interface StrategyHeadProps extends Pick<StrategiesProps, 'draft' | 'allowed'> {
  readonly strategy: StrategyDraft;
  readonly onChange: (strategies: readonly StrategyDraft[]) => void;
}

function StrategyHead({ draft, strategy, allowed, onChange }: StrategyHeadProps) {
  const { strategies } = draft;
  const label = labelOf(draft, strategy);
  const isFirst = strategies[0] === strategy;
  const isLast = strategies.at(-1) === strategy;
  return (
    <div className="head">
      <h3>Strategy {nameOf(draft, strategy)}</h3>
      {allowed.has(ENVIRONMENT_ENDPOINTS.order) && strategies.length > 1 && (
        <>
          <button
            type="button"
            className="quiet"
            aria-label={`Move ${label} up`}
            disabled={isFirst}
            onClick={() => onChange(moved(strategies, strategy, -1))}
          >
            ↑
          </button>
          <button
            type="button"
            className="quiet"
            aria-label={`Move ${label} down`}
            disabled={isLast}
            onClick={() => onChange(moved(strategies, strategy, 1))}
          >
            ↓
          </button>
        </>
      )}
      {(strategy.id === undefined || allowed.has(ENVIRONMENT_ENDPOINTS.remove)) && (
        <button type="button" className="quiet" onClick={() => onChange(without(strategies, strategy))}>
          Remove {label}
        </button>
      )}
    </div>
  );
}
