/** Compares two environments of a project. */
import { useQuery } from '@tanstack/react-query';
import { Comparison } from '../environments/comparison.tsx';
import { Loaded } from '../loaded.tsx';
import { environmentsQuery } from '../queries.ts';
import { ProjectFrame } from './project-frame.tsx';

export function ComparePage({ projectId }: { readonly projectId: string }) {
  const environments = useQuery(environmentsQuery(projectId));
  return (
    <ProjectFrame projectId={projectId} isWide>
      <Loaded query={environments}>{(list) => <Comparison environments={list} projectId={projectId} />}</Loaded>
    </ProjectFrame>
  );
}
