/** The projects that the user may read. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Schemas } from './api.generated.ts';
import { Loaded } from './loaded.tsx';
import { Page } from './page.tsx';
import { projectsQuery } from './queries.ts';

export function ProjectsPage() {
  const query = useQuery(projectsQuery);
  return (
    <Page title="Projects">
      <Loaded query={query}>{(projects) => <Projects projects={projects} />}</Loaded>
    </Page>
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
          <p className="hint">{description || id}</p>
          <p>
            {featureCount === 1 ? '1 flag' : `${featureCount} flags`} · health {health} %
          </p>
        </li>
      ))}
    </ul>
  );
}
