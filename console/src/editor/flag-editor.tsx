/** Edits the fields of a flag and its dependencies. */
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { FieldInputs } from '../feature/fields/field-inputs.tsx';
import { problemOfFields } from '../feature/fields/fields-draft.ts';
import type { FeaturePlace } from '../feature/place.ts';
import { permissionsQuery } from '../queries.ts';
import { HAND_OVER_ENDPOINT } from '../switch/write-switch.ts';
import { draftOfFlag, flagSteps } from './draft/flag-draft.ts';
import type { TagDraft } from './draft/tag-draft.ts';
import { useKeptDraft } from './draft/use-kept-draft.ts';
import { FLAG_ENDPOINTS } from './flag-paths.ts';
import { planFor } from './flag-plan.ts';
import { DependencyList } from './form/dependency-list.tsx';
import { TagList } from './form/tag-list.tsx';
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
      problem={problemOfFields(draft.fields)}
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
          <FieldInputs draft={draft.fields} onChange={(fields) => setDraft({ ...draft, fields })} />
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
