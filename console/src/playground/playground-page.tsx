/** Evaluates the flags of an environment for a user, with reasons. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { Chips } from '../chips.tsx';
import { draftOfTime, timeOf, timeProblem } from '../editor/draft/time-draft.ts';
import { NamePicker } from '../editor/form/name-picker.tsx';
import { TimeField } from '../editor/form/time-field.tsx';
import { featurePath } from '../feature-link.tsx';
import { ShowMore } from '../list/show-more.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { projectsQuery } from '../queries.ts';
import { Select } from '../select.tsx';
import { choosableEnvironmentsQuery } from './choosable-environments.ts';
import { parametersOf } from './context-address.ts';
import { type ContextEntries, contextOf, newEntry } from './context-entries.ts';
import { ContextFields } from './context-fields.tsx';
import { WhyView } from './why-view.tsx';
import '../style/editor.css';

export function PlaygroundPage() {
  const environments = useQuery(choosableEnvironmentsQuery);
  return (
    <Page title="Playground">
      <Loaded query={environments}>{(list) => <Playground environments={list} />}</Loaded>
    </Page>
  );
}

interface PlaygroundProps {
  readonly environments: readonly Pick<Schemas['Environment'], 'name' | 'displayName'>[];
}

function Playground({ environments }: PlaygroundProps) {
  const [environment, setEnvironment] = useState(environments[0]?.name ?? '');
  const [projects, setProjects] = useState<readonly string[]>([]);
  const [entries, setEntries] = useState<ContextEntries>(() => [newEntry('userId')]);
  const [at, setAt] = useState(() => draftOfTime(undefined));
  const problem = timeProblem(at);
  const evaluation = useMutation({
    mutationFn: () => {
      const time = timeOf(at);
      const chosen = projects.length === 0 ? ('*' as const) : [...projects];
      const body = {
        environment,
        projects: chosen,
        context: contextOf(entries),
        ...(time !== undefined && { at: time }),
      };
      return answerOf(api.POST('/api/admin/playground', { body }));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    evaluation.mutate();
  };
  const question = `${new URLSearchParams([['tab', 'evaluate'], ['environment', environment], ...parametersOf(entries)])}`;
  return (
    <div className="playground">
      <form onSubmit={submit}>
        <Select
          label="Environment"
          of={environments.map(({ name, displayName }) => [name, displayName])}
          value={environment}
          onChange={setEnvironment}
        />
        <ProjectChoice chosen={projects} onChange={setProjects} />
        <ContextFields entries={entries} onChange={setEntries} />
        <TimeField label="At" none="Now." time={at} onChange={setAt} />
        <button type="submit" className="primary" disabled={evaluation.isPending || problem !== undefined}>
          {evaluation.isPending ? 'Evaluating…' : 'Evaluate'}
        </button>
      </form>
      <section>
        <h2>Results</h2>
        <p role="alert" className="error message">
          {evaluation.error?.message}
        </p>
        {evaluation.data ? (
          <Results features={evaluation.data.features} question={question} />
        ) : (
          <p className="hint">Vexil evaluates the flags as SDKs do. Nothing counts as usage.</p>
        )}
      </section>
    </div>
  );
}

interface ProjectChoiceProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function ProjectChoice({ chosen, onChange }: ProjectChoiceProps) {
  const { data: projects = [], isPending } = useQuery(projectsQuery);
  const names = projects.map(({ id }) => id).filter((id) => !chosen.includes(id));
  return (
    <fieldset className="piece">
      <legend>Projects</legend>
      {chosen.length === 0 ? (
        <p className="hint">All that you may read.</p>
      ) : (
        <Chips
          label="Chosen projects"
          noun="project"
          chips={chosen.map((id) => ({
            key: id,
            text: id,
            onRemove: () => onChange(chosen.filter((one) => one !== id)),
          }))}
        />
      )}
      <NamePicker
        label="Project"
        action="Only this project"
        names={names}
        isLoading={isPending}
        onPick={(id) => onChange([...chosen, id])}
      />
    </fieldset>
  );
}

/** More rows make the page slow. */
const ROWS_AT_ONCE = 50;

const SHOWN = { all: 'All', on: 'On', off: 'Off' } as const;

interface ResultsProps {
  readonly features: readonly Schemas['PlaygroundFeature'][];
  /** The query of the address that evaluates one flag for the same context. */
  readonly question: string;
}

function Results({ features, question }: ResultsProps) {
  const [search, setSearch] = useState('');
  const [shown, setShown] = useState<keyof typeof SHOWN>('all');
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  const wanted = search.trim().toLowerCase();
  const found = features.filter(
    ({ name, isEnabled }) => name.toLowerCase().includes(wanted) && (shown === 'all' || isEnabled === (shown === 'on')),
  );
  return (
    <>
      <search className="filter">
        <label>
          Search
          <input type="search" value={search} onChange={({ target }) => setSearch(target.value)} />
        </label>
        <Select
          label="Show"
          of={Object.entries(SHOWN)}
          value={shown}
          onChange={(value) => setShown(value === 'on' || value === 'off' ? value : 'all')}
        />
      </search>
      <p role="status" className="hint">
        {found.length} of {features.length} flags, {features.filter(({ isEnabled }) => isEnabled).length} on
      </p>
      <ul className="results">
        {found.slice(0, limit).map(({ name, projectId, isEnabled, variant, why }) => (
          <li key={`${projectId} ${name}`} className="card">
            <h3>
              <Link href={`${featurePath(projectId, name)}?${question}`}>{name}</Link>{' '}
              <span className="hint">{projectId}</span>
            </h3>
            <WhyView isOn={isEnabled} variant={variant} why={why} />
          </li>
        ))}
      </ul>
      {found.length > limit && <ShowMore onMore={() => setLimit(limit + ROWS_AT_ONCE)} />}
    </>
  );
}
