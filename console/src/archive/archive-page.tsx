/** The archived flags, which can be revived or deleted for good. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, checked } from '../api.ts';
import { TypeToConfirm } from '../dialog/type-to-confirm.tsx';
import { FeatureLink } from '../feature-link.tsx';
import { FilterField } from '../list/filter-field.tsx';
import { PAGE_SIZE } from '../list/page-range.ts';
import { Pager } from '../list/pager.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { timeText } from '../times.ts';
import { useAddress } from '../use-address.ts';
import { useAllowed } from '../use-allowed.ts';
import { trialOf } from '../write/trial.ts';
import { useWrite, type WriteQuery } from '../write/use-write.tsx';
import { WriteButton } from '../write/write-button.tsx';

type Archived = Schemas['Archive']['features'][number];

export function ArchivePage() {
  const query = useQuery({
    queryKey: ['archive'],
    queryFn: async () => (await answerOf(api.GET('/api/admin/archive/features'))).features,
  });
  return (
    <Page title="Archive">
      <Loaded query={query}>{(flags) => <Flags flags={flags} />}</Loaded>
    </Page>
  );
}

function Flags({ flags }: { readonly flags: readonly Archived[] }) {
  const { values, offset, change, move } = useAddress(['q']);
  const wanted = values.q.trim().toLowerCase();
  const found = flags.filter(({ name, description }) => `${name} ${description ?? ''}`.toLowerCase().includes(wanted));
  return (
    <>
      <FilterField value={values.q} onChange={(q) => change({ q })} />
      <Pager offset={offset} total={found.length} of="Archived flags" onMove={move} />
      <Table
        label="Archived flags"
        rows={found.slice(offset, offset + PAGE_SIZE)}
        keyOf={({ name }) => name}
        empty="No flag is archived."
        columns={[
          { name: 'Flag', cell: (flag) => <Name flag={flag} /> },
          { name: 'Project', cell: ({ project }) => project },
          { name: 'Last seen', cell: ({ lastSeenAt }) => (lastSeenAt === null ? 'Never' : timeText(lastSeenAt)) },
          { name: 'Actions', cell: (flag) => <Actions flag={flag} /> },
        ]}
      />
    </>
  );
}

function Name({ flag: { name, project, type, description } }: { readonly flag: Archived }) {
  return (
    <>
      <FeatureLink project={project} name={name} /> <span className="mark">{type}</span>
      {description && <p className="hint">{description}</p>}
    </>
  );
}

function Actions({ flag: { name, project } }: { readonly flag: Archived }) {
  const isAllowed = useAllowed(project);
  const [isAsking, setAsking] = useState(false);
  const body = { features: [name] };
  const path = { projectId: project };
  const reviving = useWrite({
    what: 'flag',
    send: (_: undefined, query: WriteQuery) =>
      checked(api.POST('/api/admin/projects/{projectId}/revive', { params: { path, query }, body, parseAs: 'text' })),
  });
  const remove = (query: WriteQuery & { readonly dryRun?: true }) =>
    checked(api.POST('/api/admin/projects/{projectId}/delete', { params: { path, query }, body, parseAs: 'text' }));
  const deleting = useWrite({ what: 'flag', send: (_: undefined, query: WriteQuery) => remove(query) });
  return (
    <>
      {isAllowed('POST /projects/{projectId}/revive') && (
        <WriteButton
          label={`Revive ${name}`}
          question={`Revive ${name}?`}
          onWrite={(reason) => reviving.write(undefined, reason)}
        >
          Revive
        </WriteButton>
      )}{' '}
      {isAllowed('POST /projects/{projectId}/delete') && (
        <button type="button" className="danger" aria-label={`Delete ${name}`} onClick={() => setAsking(true)}>
          Delete
        </button>
      )}
      {isAsking && (
        <TypeToConfirm
          title={`Delete ${name} for good?`}
          caution="The flag and its configuration are lost; its history stays. A flag that Git has comes back with the next sync."
          name={name}
          attempt={() => trialOf(() => remove({ dryRun: true }))}
          onClose={() => setAsking(false)}
          onConfirm={(reason) => deleting.write(undefined, reason)}
        />
      )}
      {reviving.problem}
      {deleting.problem}
    </>
  );
}
