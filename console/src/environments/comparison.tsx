/** The flags that are on in one of two environments and off in the other. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { EnvironmentChoice } from '../environment-choice.tsx';
import { FeatureLink } from '../feature-link.tsx';
import { Loaded } from '../loaded.tsx';
import { PAGE_SIZE, Pager } from '../pager.tsx';
import { EnvironmentState } from '../switch/environment-state.tsx';
import { Table } from '../table.tsx';
import { useAddress } from '../use-address.ts';

type Environment = Schemas['Environment'];

interface Compared {
  readonly one: string;
  readonly other: string;
  readonly q: string;
  readonly offset: number;
}

const comparisonQuery = ({ one, other, q, offset }: Compared) =>
  queryOptions({
    queryKey: ['differing', one, other, q, offset],
    queryFn: () => {
      const query = {
        ...{ differs: `${one},${other}`, sortBy: 'name', include: 'status' as const },
        ...{ query: q, offset: `${offset}`, limit: `${PAGE_SIZE}` },
      };
      return answerOf(api.GET('/api/admin/search/features', { params: { query } }));
    },
    placeholderData: keepPreviousData,
  });

export function Comparison({ environments }: { readonly environments: readonly Environment[] }) {
  const { values, offset, change, move } = useAddress(['one', 'other', 'q']);
  const named = (name: string) => environments.find((environment) => environment.name === name);
  const one = named(values.one) ?? environments[0];
  const other = named(values.other) ?? environments.findLast((environment) => environment !== one);
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
          Search
          <input type="search" value={values.q} onChange={({ target }) => change({ q: target.value })} />
        </label>
      </search>
      <Differences {...{ one, other, q: values.q, offset }} onMove={move} />
    </section>
  );
}

interface DifferencesProps {
  readonly one: Environment;
  readonly other: Environment;
  readonly q: string;
  readonly offset: number;
  readonly onMove: (offset: number) => void;
}

function Differences({ one, other, q, offset, onMove }: DifferencesProps) {
  const query = useQuery(comparisonQuery({ one: one.name, other: other.name, q, offset }));
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
            ]}
          />
        </>
      )}
    </Loaded>
  );
}
