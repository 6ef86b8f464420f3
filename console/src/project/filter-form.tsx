/** The search and the choices above the flags of a project. */
import { useQuery } from '@tanstack/react-query';
import { segmentsQuery } from '../editor/form-queries.ts';
import { ORDERS, SHOWN, useFilter } from './filter.ts';

export function FilterForm() {
  const [{ q, owner, segment, show, sort }, change] = useFilter();
  return (
    <search className="filter">
      <label>
        Search
        <input type="search" value={q} onChange={({ target }) => change({ q: target.value })} />
      </label>
      <label>
        Owner
        <input type="search" value={owner} onChange={({ target }) => change({ owner: target.value })} />
      </label>
      <SegmentChoice value={segment} onChange={(name) => change({ segment: name })} />
      <Choice label="Show" names={SHOWN} value={show} onChange={(value) => change({ show: value })} />
      <Choice label="Order" names={ORDERS} value={sort} onChange={(value) => change({ sort: value })} />
    </search>
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
  return (
    <label>
      Segment
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">Any</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly names: Readonly<Record<T, string>>;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

function Choice<T extends string>({ label, names, value, onChange }: ChoiceProps<T>) {
  const keys = Object.keys(names) as T[];
  const choose = (chosen: string) => {
    const key = keys.find((one) => one === chosen);
    if (key !== undefined) onChange(key);
  };
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => choose(target.value)}>
        {keys.map((key) => (
          <option key={key} value={key}>
            {names[key]}
          </option>
        ))}
      </select>
    </label>
  );
}
