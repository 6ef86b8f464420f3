/** The projects that the user may read. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from './api.generated.ts';
import { lazyPart } from './lazy-part.tsx';
import { FilterField } from './list/filter-field.tsx';
import { Loaded } from './loaded.tsx';
import { Page } from './page.tsx';
import { projectsQuery } from './queries.ts';
import { useAddress } from './use-address.ts';
import { useAllowed } from './use-allowed.ts';

const FoundFlags = lazyPart(async () => (await import('./project/found-flags.tsx')).FoundFlags);
const NewProject = lazyPart(async () => (await import('./project/new-project.tsx')).NewProject);

export function ProjectsPage() {
  const query = useQuery(projectsQuery);
  const { values, offset, change, move } = useAddress(['q']);
  return (
    <Page title="Projects">
      <div className="above-list">
        <FilterField value={values.q} label="Search flags in all projects" onChange={(q) => change({ q })} />
        <Creation />
      </div>
      {values.q.trim() !== '' && <FoundFlags text={values.q.trim()} offset={offset} onMove={move} />}
      <Loaded query={query}>{(projects) => <Projects projects={projects} />}</Loaded>
    </Page>
  );
}

function Creation() {
  const isAllowed = useAllowed();
  const [isOpen, setOpen] = useState(false);
  if (!isAllowed('POST /projects')) return null;
  return (
    <>
      <button type="button" className="primary" onClick={() => setOpen(true)}>
        New project
      </button>
      {isOpen && <NewProject onClose={() => setOpen(false)} />}
    </>
  );
}

function Projects({ projects }: { readonly projects: readonly Schemas['Project'][] }) {
  if (projects.length === 0) return <p className="empty">There is no project that you may see.</p>;
  return (
    <ul className="cards">
      {projects.map(({ id, name, description, featureCount, health }) => (
        <li key={id} className="card">
          <h2>
            <Link href={`/projects/${encodeURIComponent(id)}`}>{name}</Link>
          </h2>
          {id !== name && <p className="hint">{id}</p>}
          {description && <p className="hint">{description}</p>}
          <p>
            {featureCount === 1 ? '1 flag' : `${featureCount} flags`} · health {health} %
          </p>
        </li>
      ))}
    </ul>
  );
}
