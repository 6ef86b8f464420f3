/** The flags whose use allows their removal, with the evidence. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { FeatureLink } from '../feature-link.tsx';
import { PAGE_SIZE } from '../list/page-range.ts';
import { Pager } from '../list/pager.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { Select } from '../select.tsx';
import { dayText } from '../times.ts';
import { useAddress } from '../use-address.ts';
import { REASONS } from './reasons.ts';

const staleQuery = (reason: string, offset: number) =>
  queryOptions({
    queryKey: ['stale', reason, offset],
    queryFn: () => {
      const query = { ...(reason !== '' && { reason: [reason] }), offset: `${offset}`, limit: `${PAGE_SIZE}` };
      return answerOf(api.GET('/api/admin/reports/stale', { params: { query } }));
    },
    placeholderData: keepPreviousData,
  });

export function StalePage() {
  const { values, offset, change, move } = useAddress(['reason']);
  const query = useQuery(staleQuery(values.reason, offset));
  return (
    <Page title="Stale flags">
      <search className="filter">
        <Select
          label="Reason"
          none="All"
          of={Object.entries(REASONS)}
          value={values.reason}
          onChange={(reason) => change({ reason })}
        />
      </search>
      <Loaded query={query}>
        {({ findings, total, measuredSince }) => (
          <>
            <p>
              {measuredSince === null
                ? 'No SDK has reported yet.'
                : `SDKs have reported since ${dayText(measuredSince)}.`}
            </p>
            <Pager offset={offset} total={total} of="Findings" onMove={move} />
            <Findings findings={findings} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Findings({ findings }: { readonly findings: readonly Schemas['StaleFinding'][] }) {
  return (
    <Table
      label="Stale flags"
      rows={findings}
      keyOf={({ project, name, reason }) => `${project} ${name} ${reason}`}
      empty="Nothing is found. Findings need reports of SDKs over some weeks."
      columns={[
        {
          name: 'Flag',
          cell: ({ name, project }) => (project === null ? name : <FeatureLink project={project} name={name} />),
        },
        { name: 'Project', cell: ({ project }) => project ?? '' },
        { name: 'Reason', cell: ({ reason }) => REASONS[reason] },
        { name: 'Days', cell: ({ days }) => days, isNumber: true },
        { name: 'What to do', cell: ({ advice }) => advice },
      ]}
    />
  );
}
