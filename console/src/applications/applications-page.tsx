/** The applications whose SDKs have registered or reported, and what is wrong with their SDKs and flags. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { FilterField } from '../list/filter-field.tsx';
import { PAGE_SIZE } from '../list/page-range.ts';
import { Pager } from '../list/pager.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { timeText } from '../times.ts';
import { useAddress } from '../use-address.ts';
import { ApplicationLink } from './application-link.tsx';
import { Connect } from './connect.tsx';

/** The reports of SDKs do not change with objects. */
const USAGE = { meta: { isStanding: true }, refetchInterval: 30_000 };

const applicationsQuery = (search: string, offset: number) =>
  queryOptions({
    queryKey: ['applications', search, offset],
    queryFn: () => {
      const query = { query: search, offset: `${offset}`, limit: `${PAGE_SIZE}`, sortBy: 'appName' as const };
      return answerOf(api.GET('/api/admin/metrics/applications', { params: { query } }));
    },
    placeholderData: keepPreviousData,
    ...USAGE,
  });

export function ApplicationsPage() {
  const { values, offset, change, move } = useAddress(['q']);
  const query = useQuery(applicationsQuery(values.q, offset));
  return (
    <Page title="Applications">
      <FilterField value={values.q} onChange={(q) => change({ q })} />
      <Loaded query={query}>
        {({ applications, total }) => (
          <>
            <Pager offset={offset} total={total} of="Applications" onMove={move} />
            <Applications applications={applications} />
          </>
        )}
      </Loaded>
      <Connect />
      <OutdatedSdks />
      <UnknownFlags />
    </Page>
  );
}

function Applications({ applications }: { readonly applications: readonly Schemas['ApplicationInList'][] }) {
  const environmentsOf = ({ usage }: Schemas['ApplicationInList']) =>
    [...new Set(usage.flatMap(({ environments }) => environments))].join(', ');
  const edgesOf = ({ edges }: Schemas['ApplicationInList']) =>
    [...new Set(edges.map(({ instanceId }) => instanceId))].join(', ');
  return (
    <Table
      label="Applications"
      rows={applications}
      keyOf={({ appName }) => appName}
      empty="No application is found. SDKs register here when they start."
      columns={[
        { name: 'Application', cell: ({ appName }) => <ApplicationLink name={appName} /> },
        { name: 'Projects', cell: ({ usage }) => usage.map(({ project }) => project).join(', ') },
        { name: 'Environments', cell: environmentsOf },
        { name: 'Edges', cell: edgesOf },
        { name: 'Last seen', cell: ({ lastSeen }) => timeText(lastSeen) },
      ]}
    />
  );
}

function OutdatedSdks() {
  const query = useQuery({
    queryKey: ['outdated-sdks'],
    queryFn: async () => (await answerOf(api.GET('/api/admin/metrics/sdks/outdated'))).sdks,
    ...USAGE,
  });
  return (
    <section className="part">
      <h2>Outdated SDKs</h2>
      <Loaded query={query}>
        {(sdks) => (
          <Table
            label="Outdated SDKs"
            rows={sdks}
            keyOf={({ sdkVersion }) => sdkVersion}
            empty="No application uses an outdated SDK."
            columns={[
              { name: 'SDK', cell: ({ sdkVersion }) => sdkVersion },
              { name: 'Applications', cell: ({ applications }) => <Links names={applications} /> },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}

function Links({ names }: { readonly names: readonly string[] }) {
  return (
    <ul className="inline">
      {names.map((name) => (
        <li key={name}>
          <ApplicationLink name={name} />
        </li>
      ))}
    </ul>
  );
}

function UnknownFlags() {
  const query = useQuery({
    queryKey: ['unknown-flags'],
    queryFn: async () => (await answerOf(api.GET('/api/admin/metrics/unknown-flags'))).unknownFlags,
    ...USAGE,
  });
  return (
    <section className="part">
      <h2>Unknown flags</h2>
      <p className="hint">Names that applications ask for, and that no flag has.</p>
      <Loaded query={query}>
        {(flags) => (
          <Table
            label="Unknown flags"
            rows={flags.slice(0, PAGE_SIZE)}
            keyOf={({ name }) => name}
            empty="Every flag that applications ask for is there."
            columns={[
              {
                name: 'Name',
                cell: ({ name, archived }) => (
                  <>
                    {name} {archived && <span className="mark warning">archived</span>}
                  </>
                ),
              },
              { name: 'Asked by', cell: ({ reports }) => <Links names={reports.map(({ appName }) => appName)} /> },
              { name: 'Last asked', cell: ({ lastSeenAt }) => timeText(lastSeenAt) },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}
