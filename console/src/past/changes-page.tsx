/** What changed in a project between two times. */
import { ProjectFrame } from '../project/project-frame.tsx';
import { ChangesBetween } from './changes-between.tsx';

export function ChangesPage({ projectId }: { readonly projectId: string }) {
  return (
    <ProjectFrame projectId={projectId}>
      <ChangesBetween projectId={projectId} />
    </ProjectFrame>
  );
}
