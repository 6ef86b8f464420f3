/** The flags whose switch or configuration differs between two environments. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { FeatureLink } from '../feature-link.tsx';
import { PAGE_SIZE } from '../list/page-range.ts';
import { Pager } from '../list/pager.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { ProjectFrame } from '../project/project-frame.tsx';
import { environmentsQuery, projectsQuery } from '../queries.ts';
import { Select } from '../select.tsx';
import { EnvironmentState } from '../switch/environment-state.tsx';
import { useAddress } from '../use-address.ts';
import { FlagDifference } from './flag-difference.tsx';

type EnvironmentInTable = Pick<Schemas['ProjectEnvironment'], 'name' | 'displayName' | 'protected' | 'freeze'>;

/** The subjects of the comparison. */
const BY = { configuration: 'switches and configuration', state: 'switches alone' } as const;
type By = keyof typeof BY;

interface Compared {
  readonly one: string;
  readonly other: string;
  readonly by: By;
  readonly q: string;
  /** Empty: all projects. */
  readonly project: string;
  readonly offset: number;
}

const comparisonQuery = ({ one, other, by, q, project, offset }: Compared) =>
  queryOptions({
    queryKey: ['differing', one, other, by, q, project, offset],
    queryFn: () => {
      const query = {
        ...{ differs: `${one},${other}`, differsBy: by, sortBy: 'name', include: 'status' as const },
        ...{ query: q, offset: `${offset}`, limit: `${PAGE_SIZE}` },
        ...(project !== '' && { project: `IS:${project}` }),
      };
      return answerOf(api.GET('/api/admin/search/features', { params: { query } }));
    },
    placeholderData: keepPreviousData,
  });

interface ComparisonProps {
  /** In their order: the last two are compared first. */
  readonly environments: readonly EnvironmentInTable[];
  /** The project whose flags are compared; absent: the user chooses. */
  readonly projectId?: string;
}

/** For the flags of a project. */
export function ComparePage({ projectId }: { readonly projectId: string }) {
  const environments = useQuery(environmentsQuery(projectId));
  return (
    <ProjectFrame projectId={projectId} isWide>
      <Loaded query={environments}>{(list) => <Comparison environments={list} projectId={projectId} />}</Loaded>
    </ProjectFrame>
  );
}

export function Comparison({ environments, projectId }: ComparisonProps) {
  const { values, offset, change, move } = useAddress(['one', 'other', 'by', 'q', 'project']);
  const project = projectId ?? values.project;
  const named = (name: string) => environments.find((environment) => environment.name === name);
  const other = named(values.other) ?? environments.findLast(({ name }) => name !== values.one);
  const one = named(values.one) ?? environments.findLast((environment) => environment !== other);
  const by: By = values.by === 'state' ? 'state' : 'configuration';
  if (!one || !other) return <p className="empty">There is only one environment.</p>;
  const names = environments.map(({ name, displayName }) => [name, displayName] as const);
  return (
    <section className="part">
      <h2>Compare two environments</h2>
      <search className="filter">
        <Select label="One" of={names} value={one.name} onChange={(name) => change({ one: name })} />
        <Select label="Other" of={names} value={other.name} onChange={(name) => change({ other: name })} />
        {projectId === undefined && <ProjectChoice value={project} onChange={(id) => change({ project: id })} />}
        <Select
          label="Compare"
          of={Object.entries(BY)}
          value={by}
          onChange={(next) => change({ by: next === 'state' ? 'state' : '' })}
        />
        <label>
          Search
          <input type="search" value={values.q} onChange={({ target }) => change({ q: target.value })} />
        </label>
      </search>
      <Differences {...{ one, other, by, q: values.q, project, offset }} onMove={move} />
    </section>
  );
}

interface ProjectChoiceProps {
  readonly value: string;
  readonly onChange: (id: string) => void;
}

function ProjectChoice({ value, onChange }: ProjectChoiceProps) {
  const { data: projects = [] } = useQuery(projectsQuery);
  return (
    <Select
      label="Project"
      none="All"
      of={projects.map(({ id, name }) => [id, name])}
      value={value}
      onChange={onChange}
    />
  );
}

/** Each open difference reads its flag. */
const OPEN_AT_FIRST = 20;

interface DifferencesProps {
  readonly one: EnvironmentInTable;
  readonly other: EnvironmentInTable;
  readonly by: By;
  readonly q: string;
  readonly project: string;
  readonly offset: number;
  readonly onMove: (offset: number) => void;
}

function Differences({ one, other, by, q, project, offset, onMove }: DifferencesProps) {
  const query = useQuery(comparisonQuery({ one: one.name, other: other.name, by, q, project, offset }));
  const stateIn = (environment: EnvironmentInTable) => ({
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
              { name: 'Flag', cell: (feature) => <FeatureLink project={feature.project} name={feature.name} /> },
              {
                name: 'What differs',
                cell: (feature) => (
                  <FlagDifference
                    place={{ projectId: feature.project, featureName: feature.name }}
                    {...{ one, other }}
                    isOpenAtFirst={features.length <= OPEN_AT_FIRST}
                  />
                ),
              },
              stateIn(one),
              stateIn(other),
              ...(project === ''
                ? [{ name: 'Project', cell: (feature: Schemas['FoundFeature']) => feature.project }]
                : []),
            ]}
          />
        </>
      )}
    </Loaded>
  );
}
