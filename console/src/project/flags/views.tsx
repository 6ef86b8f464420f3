/** The filters in force, and the searches that this browser keeps for a project. */
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Chips } from '../../chips.tsx';
import { FormDialog } from '../../dialog/form-dialog.tsx';
import { Field, textIn } from '../../field.tsx';
import { hasTexts, useKept } from '../../kept/kept-list.ts';
import {
  addressOf,
  CHOICES,
  type Choices,
  cleared,
  type Filter,
  filtersIn,
  isFiltered,
  STATES,
  useFilter,
} from './filter.ts';

interface View {
  readonly project: string;
  readonly name: string;
  /** The query of the address. */
  readonly search: string;
}

const VIEWS = {
  name: 'views',
  isItem: (value: unknown): value is View => hasTexts(value, ['project', 'name', 'search']),
};
const FAVOURITES = 'show=favourites';

export function Views({ projectId }: { readonly projectId: string }) {
  const [filter, change] = useFilter();
  const [kept, edit] = useKept(VIEWS);
  const [path] = useLocation();
  const [isNaming, setNaming] = useState(false);
  const search = addressOf(filter);
  const views = kept.filter(({ project }) => project === projectId);
  const without = (name: string) => (list: readonly View[]) =>
    list.filter((one) => one.project !== projectId || one.name !== name);
  const present = views.find((view) => view.search === search);
  const links = [{ name: 'All flags', search: '' }, { name: 'Favourites', search: FAVOURITES }, ...views];
  return (
    <div className="views">
      <nav aria-label="Views">
        {links.map((view) => (
          <Link
            key={view.search}
            href={view.search === '' ? path : `${path}?${view.search}`}
            aria-current={view.search === search ? 'true' : undefined}
          >
            {view.name}
          </Link>
        ))}
      </nav>
      {present && (
        <button type="button" className="quiet" onClick={() => edit(without(present.name))}>
          Delete the view
        </button>
      )}
      {!present && search !== '' && search !== FAVOURITES && (
        <button type="button" className="quiet" onClick={() => setNaming(true)}>
          Save as a view
        </button>
      )}
      {isFiltered(filter) && (
        <Chips
          label="Filters in force"
          noun="filter"
          chips={filtersIn(filter).map((name) => ({
            key: name,
            text: filterText(filter, name),
            onRemove: () => change(cleared(filter, name)),
          }))}
        />
      )}
      {isNaming && (
        <NamingDialog
          onClose={() => setNaming(false)}
          onName={(name) => edit((list) => [...without(name)(list), { project: projectId, name, search }])}
        />
      )}
    </div>
  );
}

interface NamingProps {
  readonly onClose: () => void;
  readonly onName: (name: string) => void;
}

function NamingDialog({ onClose, onName }: NamingProps) {
  const save = (form: HTMLFormElement) => {
    const name = textIn(form, 'name');
    if (name !== '') onName(name);
    onClose();
  };
  return (
    <FormDialog title="Save these filters as a view" action="Save" onClose={onClose} onSubmit={save}>
      <Field label="Name of the view" hint="This browser keeps the view. To share it, share the address of the page.">
        {(ids) => <input {...ids} name="name" required maxLength={40} autoComplete="off" />}
      </Field>
    </FormDialog>
  );
}

const LABELS: Readonly<Partial<Record<keyof Filter, string>>> = {
  show: 'Show',
  type: 'Type',
  schedule: 'Schedule',
  seen: 'Last seen',
  tag: 'Tag',
  label: 'Label',
  owner: 'Owner',
  segment: 'Segment',
  in: 'In',
};

function filterText(filter: Filter, name: keyof Filter): string {
  return `${LABELS[name]}: ${valueText(filter, name)}`;
}

function valueText(filter: Filter, name: keyof Filter): string {
  const value = filter[name];
  if (Object.hasOwn(CHOICES, name))
    return (CHOICES[name as keyof Choices] as Readonly<Record<string, string>>)[value] ?? value;
  if (name !== 'in') return value;
  const state = value.slice(value.lastIndexOf(':') + 1);
  return `${value.slice(0, value.lastIndexOf(':'))} ${Object.hasOwn(STATES, state) ? STATES[state as keyof typeof STATES] : state}`;
}
