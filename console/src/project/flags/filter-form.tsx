/** The search, the filters and the order above the flags of a project. */
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Schemas } from '../../api.generated.ts';
import { segmentsQuery } from '../../editor/form-queries.ts';
import { Options, Select } from '../../select.tsx';
import { CHOICES, type Choices, filtersIn, STATES, useFilter } from './filter.ts';

interface FilterFormProps {
  readonly environments: readonly Schemas['ProjectEnvironment'][];
}

export function FilterForm({ environments }: FilterFormProps) {
  const [filter, change] = useFilter();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const count = filtersIn(filter).length;
  return (
    <search className="filter">
      <label className="wide">
        <span className="unseen">Search</span>
        <input
          type="search"
          value={filter.q}
          placeholder="Search names, tags and descriptions"
          aria-keyshortcuts="/"
          onChange={({ target }) => change({ q: target.value })}
        />
      </label>
      <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </button>
      <Choice name="sort" label="Order" isInLine />
      <div id={id} className="filters" hidden={!isOpen}>
        <Choice name="show" label="Show" />
        <Choice name="type" label="Type" />
        <InChoice environments={environments} />
        <Text name="tag" label="Tag" example="team:checkout" />
        <Text name="label" label="Label" example="app=shop" />
        <Text name="owner" label="Owner" example="kustomize" />
        <SegmentChoice value={filter.segment} onChange={(segment) => change({ segment })} />
        <Choice name="schedule" label="Schedule" />
        <Choice name="seen" label="Last seen" />
      </div>
    </search>
  );
}

interface TextProps {
  readonly name: 'tag' | 'label' | 'owner';
  readonly label: string;
  readonly example: string;
}

function Text({ name, label, example }: TextProps) {
  const [filter, change] = useFilter();
  return (
    <label>
      {label}
      <input
        type="search"
        value={filter[name]}
        placeholder={example}
        autoComplete="off"
        onChange={({ target }) => change({ [name]: target.value })}
      />
    </label>
  );
}

interface ChoiceProps {
  readonly name: keyof Choices;
  readonly label: string;
  readonly isInLine?: boolean;
}

function Choice({ name, label, isInLine = false }: ChoiceProps) {
  const [filter, change] = useFilter();
  return (
    <label className={isInLine ? 'in-line' : undefined}>
      {label}
      <select value={filter[name]} onChange={({ target }) => change({ [name]: target.value })}>
        <Options of={Object.entries(CHOICES[name])} />
      </select>
    </label>
  );
}

function InChoice({ environments }: FilterFormProps) {
  const [filter, change] = useFilter();
  return (
    <label>
      In an environment
      <select value={filter.in} onChange={({ target }) => change({ in: target.value })}>
        <option value="">Any</option>
        {environments.map(({ name, displayName }) => (
          <optgroup key={name} label={displayName}>
            {Object.entries(STATES).map(([state, text]) => (
              <option key={state} value={`${name}:${state}`}>
                {displayName}: {text}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

interface SegmentChoiceProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** Shows nothing if there are no segments and the address has none. */
function SegmentChoice({ value, onChange }: SegmentChoiceProps) {
  const { data: segments = [] } = useQuery(segmentsQuery);
  const names = [...new Set([...segments.map(({ name }) => name), ...(value === '' ? [] : [value])])];
  if (names.length === 0) return null;
  return <Select label="Segment" none="Any" of={names.map((name) => [name, name])} value={value} onChange={onChange} />;
}
