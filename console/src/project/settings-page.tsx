/** The settings of a project: forms for what the admin API changes, YAML for the rest. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { api, asManifest, checked } from '../api.ts';
import { TypeToConfirm } from '../dialog/type-to-confirm.tsx';
import { Loaded } from '../loaded.tsx';
import { useAllowed } from '../use-allowed.ts';
import { useNextPage } from '../use-next-page.ts';
import { StoredManifest } from '../write/stored-manifest.tsx';
import { useWrite, type WriteQuery } from '../write/use-write.tsx';
import { ProjectEnvironments } from './project-environments.tsx';
import { ProjectFrame } from './project-frame.tsx';
import { projectQuery } from './project-query.ts';
import { ProjectTexts } from './project-texts.tsx';

export function SettingsPage({ projectId }: { readonly projectId: string }) {
  const query = useQuery(projectQuery(projectId));
  return (
    <ProjectFrame projectId={projectId}>
      <Loaded query={query}>
        {(project) => (
          <>
            <ProjectTexts projectId={projectId} project={project} />
            <ProjectEnvironments projectId={projectId} />
            <Others projectId={projectId} naming={project.featureNaming} />
            <Deletion projectId={projectId} />
          </>
        )}
      </Loaded>
    </ProjectFrame>
  );
}

interface OthersProps {
  readonly projectId: string;
  readonly naming: Schemas['ProjectCounts']['featureNaming'];
}

function Others({ projectId, naming: { pattern, description } }: OthersProps) {
  const isAllowed = useAllowed(projectId);
  const params = { path: { projectId } };
  return (
    <section className="card part">
      <h2>Names of flags</h2>
      <p>
        {pattern === null ? (
          'Any name is allowed.'
        ) : (
          <>
            New flags match <code>{pattern}</code>
            {description !== null && `: ${description}`}
          </>
        )}
      </p>
      <details>
        <summary>Change this and more in Git</summary>
        <p>
          The manifest of the project can have <code>flagNaming</code>, with a <code>pattern</code>, an{' '}
          <code>example</code> and a <code>description</code>. <code>managedFields: TakeOver</code> lets the admin API
          change fields that Git owns; <code>alerts: Force</code> lets alerts do so; <code>usedFlags: Refuse</code>{' '}
          keeps flags that production asks for.
        </p>
      </details>
      {isAllowed('GET /projects/{projectId}/access') && (
        <StoredManifest
          of={projectId}
          queryKey={['project', projectId, 'manifest']}
          read={() => api.GET('/api/admin/projects/{projectId}', { params, ...asManifest })}
        />
      )}
    </section>
  );
}

function Deletion({ projectId }: { readonly projectId: string }) {
  const isAllowed = useAllowed(projectId);
  const [isAsking, setAsking] = useState(false);
  const goTo = useNextPage();
  const { write, isPending, problem } = useWrite({
    what: 'project',
    send: (_: undefined, query: WriteQuery) =>
      checked(
        api.DELETE('/api/admin/projects/{projectId}', { params: { path: { projectId }, query }, parseAs: 'text' }),
      ),
    onDone: () => goTo('/'),
  });
  if (!isAllowed('DELETE /projects/{projectId}')) return null;
  return (
    <section className="card part">
      <h2>Delete the project</h2>
      <p>All flags of the project must be archived first.</p>
      <button type="button" className="danger" disabled={isPending} onClick={() => setAsking(true)}>
        Delete {projectId}
      </button>
      {isAsking && (
        <TypeToConfirm
          title={`Delete ${projectId}?`}
          caution="The project, its members and settings are lost. Its archived flags stay."
          name={projectId}
          onClose={() => setAsking(false)}
          onConfirm={(reason) => write(undefined, reason)}
        />
      )}
      {problem}
    </section>
  );
}
