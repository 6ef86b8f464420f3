/** The flags whose switch or configuration differs between two environments. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { EnvironmentChoice } from '../environment-choice.tsx';
import { FeatureLink } from '../feature-link.tsx';
import { PAGE_SIZE, Pager } from '../list/pager.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { EnvironmentState } from '../switch/environment-state.tsx';
import { useAddress } from '../use-address.ts';
import { FlagDifference } from './flag-difference.tsx';

type Environment = Schemas['Environment'];

/** The subjects of the comparison. */
const BY = { configuration: 'switches and configuration', state: 'switches alone' } as const;
type By = keyof typeof BY;

interface Compared {
  readonly one: string;
  readonly other: string;
  readonly by: By;
  readonly q: string;
  readonly offset: number;
}

const comparisonQuery = ({ one, other, by, q, offset }: Compared) =>
  queryOptions({
    queryKey: ['differing', one, other, by, q, offset],
    queryFn: () => {
      const query = {
        ...{ differs: `${one},${other}`, differsBy: by, sortBy: 'name', include: 'status' as const },
        ...{ query: q, offset: `${offset}`, limit: `${PAGE_SIZE}` },
      };
      return answerOf(api.GET('/api/admin/search/features', { params: { query } }));
    },
    placeholderData: keepPreviousData,
  });

export function Comparison({ environments }: { readonly environments: readonly Environment[] }) {
  const { values, offset, change, move } = useAddress(['one', 'other', 'by', 'q']);
  const named = (name: string) => environments.find((environment) => environment.name === name);
  const one = named(values.one) ?? environments[0];
  const other = named(values.other) ?? environments.findLast((environment) => environment !== one);
  const by: By = values.by === 'state' ? 'state' : 'configuration';
  if (!one || !other) return null;
  return (
    <section className="part">
      <h2>Compare two environments</h2>
      <search className="filter">
        <EnvironmentChoice
          label="One"
          {...{ environments, value: one.name }}
          onChange={(name) => change({ one: name })}
        />
        <EnvironmentChoice
          label="Other"
          {...{ environments, value: other.name }}
          onChange={(name) => change({ other: name })}
        />
        <label>
          Compare
          <select value={by} onChange={({ target }) => change({ by: target.value === 'state' ? 'state' : '' })}>
            {Object.entries(BY).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Search
          <input type="search" value={values.q} onChange={({ target }) => change({ q: target.value })} />
        </label>
      </search>
      <Differences {...{ one, other, by, q: values.q, offset }} onMove={move} />
    </section>
  );
}

interface DifferencesProps {
  readonly one: Environment;
  readonly other: Environment;
  readonly by: By;
  readonly q: string;
  readonly offset: number;
  readonly onMove: (offset: number) => void;
}

function Differences({ one, other, by, q, offset, onMove }: DifferencesProps) {
  const query = useQuery(comparisonQuery({ one: one.name, other: other.name, by, q, offset }));
  const stateIn = (environment: Environment) => ({
    name: environment.displayName,
    cell: (feature: Schemas['FoundFeature']) => (
      <EnvironmentState
        projectId={feature.project}
        feature={feature}
        environment={environment}
        status={feature.status}
      />
    ),
  });
  return (
    <Loaded query={query}>
      {({ features, total }) => (
        <>
          <Pager offset={offset} total={total} of="Flags that differ" onMove={onMove} />
          <Table
            label="Flags that differ"
            rows={features}
            keyOf={({ name }) => name}
            empty="No flag differs."
            columns={[
              { name: 'Flag', cell: ({ project, name }) => <FeatureLink project={project} name={name} /> },
              { name: 'Project', cell: ({ project }) => project },
              stateIn(one),
              stateIn(other),
              {
                name: 'What differs',
                cell: ({ project, name }) => (
                  <FlagDifference place={{ projectId: project, featureName: name }} one={one} other={other} />
                ),
              },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}
