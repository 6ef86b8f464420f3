/** The frame of the pages of a project. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isMissing, Missing } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { projectFrameQuery } from './project-query.ts';
import { ProjectTabs } from './project-tabs.tsx';

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
