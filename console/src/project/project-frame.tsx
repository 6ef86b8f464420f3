/** The frame of the pages of a project. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { isMissing, Missing } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { useAllowed } from '../use-allowed.ts';
import { projectFrameQuery } from './project-query.ts';

interface ProjectFrameProps {
  readonly projectId: string;
  /** Whether the page uses the whole width of the window. */
  readonly isWide?: boolean;
  /** Beside the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function ProjectFrame({ projectId, isWide = false, aside, children }: ProjectFrameProps) {
  const { data: project, error } = useQuery(projectFrameQuery(projectId));
  return (
    <Page title={project?.name ?? projectId} id={projectId} project={projectId} isWide={isWide} aside={aside}>
      {isMissing(error) ? (
        <Missing what={`the project ${projectId}`} />
      ) : (
        <>
          <ProjectTabs projectId={projectId} />
          {children}
        </>
      )}
    </Page>
  );
}

/** The links between the pages of the project. */
function ProjectTabs({ projectId }: { readonly projectId: string }) {
  const isAllowed = useAllowed(projectId);
  const [path] = useLocation();
  const base = `/projects/${encodeURIComponent(projectId)}`;
  const tabs = [
    { href: base, name: 'Flags' },
    { href: `${base}/compare`, name: 'Compare' },
    { href: `${base}/changes`, name: 'What changed' },
    { href: `${base}/settings`, name: 'Settings' },
    ...(isAllowed('GET /projects/{projectId}/access') ? [{ href: `${base}/access`, name: 'Members' }] : []),
  ];
  return (
    <div className="tabs">
      <nav aria-label="Parts of the project">
        {tabs.map(({ href, name }) => (
          <Link key={href} href={href} aria-current={href === path ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
    </div>
  );
}
