/** Edits the fields of a flag and its dependencies. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { Schemas } from '../api.generated.ts';
import type { FeaturePlace } from '../feature/place.ts';
import { permissionsQuery } from '../queries.ts';
import { Options } from '../select.tsx';
import { HAND_OVER_ENDPOINT } from '../switch/write-switch.ts';
import { draftOfFlag, type FlagDraft, flagSteps } from './draft/flag-draft.ts';
import type { TagDraft } from './draft/tag-draft.ts';
import { useKeptDraft } from './draft/use-kept-draft.ts';
import { FLAG_ENDPOINTS } from './flag-paths.ts';
import { planFor } from './flag-plan.ts';
import { DependencyList } from './form/dependency-list.tsx';
import { TagList } from './form/tag-list.tsx';
import { featureTypesQuery } from './form-queries.ts';
import { ReviewedForm } from './reviewed-form.tsx';

interface FlagEditorProps {
  readonly place: FeaturePlace;
  readonly stored: Schemas['FeatureWithEnvironments'];
  readonly tags: readonly TagDraft[];
  readonly onEdit: () => void;
  readonly onSaved: () => void;
}

export function FlagEditor({ place, stored, tags, onEdit, onSaved }: FlagEditorProps) {
  const { data: allowed } = useQuery(permissionsQuery(place.projectId));
  const { before, draft, ...kept } = useKeptDraft(`${place.projectId}/${place.featureName}`, () =>
    draftOfFlag(stored, tags),
  );
  const setDraft = kept.change;
  if (!allowed) return <p className="waiting">Loading…</p>;
  const steps = flagSteps(place, before, draft);
  return (
    <ReviewedForm
      plan={planFor(place, steps, { mayHandOver: allowed.has(HAND_OVER_ENDPOINT) })}
      problem={problemOf(draft)}
      onDiscard={kept.discard}
      onEdit={onEdit}
      onSaved={() => {
        kept.forget();
        onSaved();
      }}
    >
      {allowed.has(FLAG_ENDPOINTS.fields) && (
        <section>
          <h2>Fields</h2>
          <Fields draft={draft} onChange={setDraft} />
        </section>
      )}
      {allowed.has(FLAG_ENDPOINTS.tags) && (
        <section>
          <h2>Tags</h2>
          <TagList tags={draft.tags} onChange={(next) => setDraft({ ...draft, tags: next })} />
        </section>
      )}
      <section>
        <h2>Dependencies</h2>
        <DependencyList
          place={place}
          dependencies={draft.dependencies}
          mayAdd={allowed.has(FLAG_ENDPOINTS.addDependency)}
          mayRemove={allowed.has(FLAG_ENDPOINTS.removeDependency)}
          onChange={(dependencies) => setDraft({ ...draft, dependencies })}
        />
      </section>
    </ReviewedForm>
  );
}

function problemOf({ lifetimeDays }: FlagDraft): string | undefined {
  return /^\s*(\d*[1-9]\d*)?\s*$/.test(lifetimeDays) ? undefined : 'The lifetime is a whole number of days.';
}

interface FieldsProps {
  readonly draft: FlagDraft;
  readonly onChange: (draft: FlagDraft) => void;
}

function Fields({ draft, onChange }: FieldsProps) {
  const { data: types = [] } = useQuery(featureTypesQuery);
  const id = useId();
  const type = types.find((one) => one.id === draft.type);
  return (
    <>
      <label>
        Description
        <textarea
          rows={3}
          value={draft.description}
          onChange={({ target }) => onChange({ ...draft, description: target.value })}
        />
      </label>
      <div className="row">
        <label>
          Type
          <select
            value={draft.type}
            aria-describedby={`${id}-type`}
            onChange={({ target }) =>
              onChange({ ...draft, type: types.find((one) => one.id === target.value)?.id ?? draft.type })
            }
          >
            <Options of={types.map((one) => [one.id, one.name])} />
          </select>
        </label>
        <label className="small">
          Lifetime in days
          <input
            inputMode="numeric"
            value={draft.lifetimeDays}
            aria-describedby={`${id}-days`}
            onChange={({ target }) => onChange({ ...draft, lifetimeDays: target.value })}
          />
        </label>
      </div>
      <p id={`${id}-type`} className="hint">
        {type?.description}
      </p>
      <p id={`${id}-days`} className="hint">
        Empty: {type?.lifetimeDays ? `${type.lifetimeDays} days, as for its type` : 'as for its type, without end'}.
      </p>
      <Checks draft={draft} onChange={onChange} />
    </>
  );
}

const CHECKS = {
  stale: 'Stale: it can be removed from the code',
  impressionData: 'Impression data: SDKs emit an event for each evaluation',
} as const;

function Checks({ draft, onChange }: FieldsProps) {
  return (['stale', 'impressionData'] as const).map((field) => (
    <label key={field} className="check">
      <input
        type="checkbox"
        checked={draft[field]}
        onChange={({ target }) => onChange({ ...draft, [field]: target.checked })}
      />
      {CHECKS[field]}
    </label>
  ));
}
