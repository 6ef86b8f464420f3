/** Chooses the environments that the flags of a project use. */
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, checked } from '../api.ts';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { useAllowed } from '../use-allowed.ts';
import { useWrite, type WriteQuery } from '../write/use-write.tsx';
import { WriteButton } from '../write/write-button.tsx';

export function ProjectEnvironments({ projectId }: { readonly projectId: string }) {
  const query = useQuery({
    queryKey: ['project', projectId, 'all-environments'],
    queryFn: async () => {
      const params = { path: { projectId } };
      return (await answerOf(api.GET('/api/admin/environments/project/{projectId}', { params }))).environments;
    },
  });
  return (
    <section className="part">
      <h2>Environments</h2>
      <Loaded query={query}>
        {(environments) => (
          <Table
            label="Environments"
            rows={environments}
            keyOf={({ name }) => name}
            empty="There is no environment."
            columns={[
              { name: 'Environment', cell: ({ displayName }) => displayName },
              { name: 'Type', cell: ({ type }) => type },
              { name: 'Flags on', cell: (one) => one.projectEnabledToggleCount, isNumber: true },
              { name: 'Tokens', cell: (one) => one.projectApiTokenCount, isNumber: true },
              { name: 'Use', cell: (one) => <Use projectId={projectId} environment={one} /> },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}

interface UseProps {
  readonly projectId: string;
  readonly environment: Schemas['ProjectEnvironment'];
}

const BASE = '/api/admin/projects/{projectId}/environments';
const STOPPED =
  'All flags of the project are off there. They keep their configuration, which counts again when the environment is used again.';

function Use({ projectId, environment: { name, displayName, visible } }: UseProps) {
  const isAllowed = useAllowed(projectId, name);
  const { write, isPending, problem } = useWrite({
    ...{ what: 'project', canAsk: true },
    send: (isWanted: boolean, query: WriteQuery) =>
      checked(
        isWanted
          ? api.POST(BASE, {
              params: { path: { projectId }, query },
              body: { environment: name },
              parseAs: 'text',
            })
          : api.DELETE(`${BASE}/{environment}`, {
              params: { path: { projectId, environment: name }, query },
              parseAs: 'text',
            }),
      ),
  });
  const endpoint = visible
    ? 'DELETE /projects/{projectId}/environments/{environment}'
    : 'POST /projects/{projectId}/environments';
  return (
    <>
      <span className={visible ? 'state on' : 'state'}>{visible ? 'Used' : 'Not used'}</span>{' '}
      {isAllowed(endpoint) && (
        <WriteButton
          label={visible ? `Stop using ${name}` : `Use ${name}`}
          question={visible ? `Stop using ${displayName}?` : `Use ${displayName}?`}
          caution={visible ? STOPPED : undefined}
          action={visible ? 'Stop using it' : 'Use it'}
          isDisabled={isPending}
          onWrite={(reason) => write(!visible, reason)}
        >
          {visible ? 'Stop' : 'Use'}
        </WriteButton>
      )}
      {problem}
    </>
  );
}
