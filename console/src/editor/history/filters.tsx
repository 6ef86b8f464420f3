/** The filters of the history of a flag, which are in the address. */
import { useQuery } from '@tanstack/react-query';
import { WayChoice } from '../../events/way-choice.tsx';
import { environmentsQuery } from '../../queries.ts';
import { Select } from '../../select.tsx';
import { useAddress } from '../../use-address.ts';
import { KINDS } from './kinds.ts';

const NAMES = ['tab', 'entry', 'environment', 'kind', 'author', 'channel', 'from', 'to'] as const;

export type Filters = Readonly<Record<(typeof NAMES)[number], string>>;

export function useHistoryFilters() {
  const { values, change } = useAddress(NAMES);
  const isFiltered = NAMES.some((name) => name !== 'tab' && values[name] !== '');
  return { values, change, isFiltered };
}

interface FilterProps {
  readonly projectId: string;
  readonly values: Filters;
  readonly onChange: (part: Partial<Filters>) => void;
}

export function HistoryFilters({ projectId, values, onChange }: FilterProps) {
  const { data: environments = [] } = useQuery(environmentsQuery(projectId));
  return (
    <search className="filter">
      <Select
        label="Environment"
        none="Any"
        of={environments.map(({ name, displayName }) => [name, displayName])}
        value={values.environment}
        onChange={(environment) => onChange({ environment })}
      />
      <Select
        label="Changes of"
        none="Everything"
        of={Object.entries(KINDS).map(([kind, { name }]) => [kind, name])}
        value={values.kind}
        onChange={(kind) => onChange({ kind })}
      />
      <label>
        Author
        <input type="search" value={values.author} onChange={({ target }) => onChange({ author: target.value })} />
      </label>
      <WayChoice value={values.channel} onChange={(channel) => onChange({ channel })} />
      <label>
        From
        <input type="date" value={values.from} onChange={({ target }) => onChange({ from: target.value })} />
      </label>
      <label>
        To
        <input type="date" value={values.to} onChange={({ target }) => onChange({ to: target.value })} />
      </label>
    </search>
  );
}
