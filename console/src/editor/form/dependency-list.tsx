/** Edits the parents of a flag. */
import { useQuery } from '@tanstack/react-query';
import type { FeaturePlace } from '../../feature/place.ts';
import { type DependencyDraft, newDependency } from '../draft/flag-draft.ts';
import { replaced, without } from '../draft/keyed.ts';
import { parentsQuery, parentVariantsQuery } from '../form-queries.ts';
import { NamePicker } from './name-picker.tsx';

interface DependencyListProps {
  readonly place: FeaturePlace;
  readonly dependencies: readonly DependencyDraft[];
  readonly mayAdd: boolean;
  readonly mayRemove: boolean;
  readonly onChange: (dependencies: readonly DependencyDraft[]) => void;
}

export function DependencyList({ place, dependencies, mayAdd, mayRemove, onChange }: DependencyListProps) {
  const { data: parents = [], isPending } = useQuery(parentsQuery(place));
  const taken = new Set(dependencies.map(({ feature }) => feature));
  return (
    <div className="pieces">
      {dependencies.length === 0 && <p className="hint">None: the flag depends on no other flag.</p>}
      {dependencies.map((one) => (
        <fieldset key={one.key} className="piece" disabled={!mayAdd && !mayRemove}>
          <legend>{one.feature}</legend>
          <DependencyForm
            place={{ ...place, featureName: one.feature }}
            dependency={one}
            onChange={(next) => onChange(replaced(dependencies, next))}
          />
          {mayRemove && (
            <div className="row end">
              <button type="button" className="quiet" onClick={() => onChange(without(dependencies, one))}>
                Remove the dependency on {one.feature}
              </button>
            </div>
          )}
        </fieldset>
      ))}
      {mayAdd && (
        <NamePicker
          label="Parent flag"
          action="Add a dependency"
          names={parents.filter((name) => !taken.has(name))}
          isLoading={isPending}
          onPick={(name) => onChange([...dependencies, newDependency(name)])}
        />
      )}
    </div>
  );
}

interface DependencyFormProps {
  /** The place of the parent. */
  readonly place: FeaturePlace;
  readonly dependency: DependencyDraft;
  readonly onChange: (dependency: DependencyDraft) => void;
}

function DependencyForm({ place, dependency, onChange }: DependencyFormProps) {
  const { data: names = [] } = useQuery(parentVariantsQuery(place));
  const { enabled, variants } = dependency;
  const toggle = (name: string, isWanted: boolean) =>
    onChange({ ...dependency, variants: isWanted ? [...variants, name] : variants.filter((one) => one !== name) });
  return (
    <>
      <label>
        The parent must be
        <select
          value={enabled ? 'on' : 'off'}
          onChange={({ target }) => onChange({ ...dependency, enabled: target.value === 'on' })}
        >
          <option>on</option>
          <option>off</option>
        </select>
      </label>
      {enabled && names.length > 0 && (
        <fieldset className="checks">
          <legend>with one of these variants (none: with any)</legend>
          {[...new Set([...names, ...variants])].map((name) => (
            <label key={name} className="check">
              <input
                type="checkbox"
                checked={variants.includes(name)}
                onChange={({ target }) => toggle(name, target.checked)}
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}
