/** An application: where it runs, with which SDKs, which flags it asks for. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { FeatureLink } from '../feature-link.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { timeText } from '../times.ts';

const applicationQuery = (appName: string) =>
  queryOptions({
    queryKey: ['applications', appName],
    queryFn: async () => {
      const params = { path: { appName } };
      const [application, overview] = await Promise.all([
        answerOf(api.GET('/api/admin/metrics/applications/{appName}', { params })),
        answerOf(api.GET('/api/admin/metrics/applications/{appName}/overview', { params })),
      ]);
      return { application, overview };
    },
    refetchInterval: 30_000,
  });

export function ApplicationPage({ name }: { readonly name: string }) {
  const query = useQuery(applicationQuery(name));
  return (
    <Page title={name}>
      <Loaded query={query}>
        {({ application, overview }) => (
          <>
            <Issues overview={overview} />
            <section className="part">
              <h2>Environments</h2>
              <Environments environments={overview.environments} />
            </section>
            <section className="part">
              <h2>Flags</h2>
              <Flags flags={application.seenToggles} />
            </section>
            <section className="part">
              <h2>Edges</h2>
              <Edges edges={application.edges} />
            </section>
            <section className="part">
              <h2>Instances</h2>
              <Instances instances={application.instances} />
            </section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Overview = Schemas['ApplicationOverview'];

function Issues({ overview: { environments, issues } }: { readonly overview: Overview }) {
  const sentences = [
    ...issues.missingStrategies.map((name) => `It knows the strategy type ${name}, which is not defined here.`),
    ...environments.flatMap(({ name, issues: { missingFeatures, outdatedSdks } }) => [
      ...missingFeatures.map((flag) => `In ${name} it asks for ${flag}, which is no flag, or an archived one.`),
      ...outdatedSdks.map((sdk) => `In ${name} it uses ${sdk}, which is outdated.`),
    ]),
  ];
  if (sentences.length === 0) return <p className="hint">Nothing is wrong with it.</p>;
  return (
    <ul className="problems">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function Environments({ environments }: Pick<Overview, 'environments'>) {
  return (
    <Table
      label="Environments"
      rows={environments}
      keyOf={({ name }) => name}
      empty="It was seen in no environment."
      columns={[
        { name: 'Environment', cell: ({ name }) => name },
        { name: 'Instances', cell: ({ instanceCount }) => instanceCount, isNumber: true },
        { name: 'SDKs', cell: ({ sdks }) => sdks.join(', ') },
        { name: 'Last seen', cell: ({ lastSeen }) => timeText(lastSeen) },
      ]}
    />
  );
}

function Flags({ flags }: { readonly flags: Schemas['Application']['seenToggles'] }) {
  return (
    <Table
      label="Flags"
      rows={flags}
      keyOf={({ name }) => name}
      empty="It has asked for no flag."
      columns={[
        {
          name: 'Flag',
          cell: ({ name, project }) =>
            project === undefined ? (
              <>
                {name} <span className="mark warning">unknown</span>
              </>
            ) : (
              <FeatureLink project={project} name={name} />
            ),
        },
        { name: 'Project', cell: ({ project }) => project ?? '' },
      ]}
    />
  );
}

function Edges({ edges }: Pick<Schemas['Application'], 'edges'>) {
  return (
    <Table
      label="Edges"
      rows={edges}
      keyOf={({ environment, appName, instanceId }) => `${environment} ${appName} ${instanceId}`}
      empty="No report came through an edge lately."
      columns={[
        { name: 'Edge', cell: ({ instanceId }) => instanceId },
        { name: 'Program', cell: ({ appName }) => appName },
        { name: 'Environment', cell: ({ environment }) => environment },
        { name: 'Last seen', cell: ({ lastSeen }) => timeText(lastSeen) },
      ]}
    />
  );
}

type ApplicationInstance = Omit<Schemas['Application']['instances'][number], 'clientIp'>;

function Instances({ instances }: { readonly instances: readonly ApplicationInstance[] }) {
  return (
    <Table
      label="Instances"
      rows={instances}
      keyOf={({ instanceId, environment }) => `${environment} ${instanceId}`}
      empty="No instance was seen lately."
      columns={[
        { name: 'Instance', cell: ({ instanceId }) => instanceId },
        { name: 'Environment', cell: ({ environment }) => environment },
        { name: 'SDK', cell: ({ sdkVersion }) => sdkVersion ?? 'Not known' },
        { name: 'Last seen', cell: ({ lastSeen }) => timeText(lastSeen) },
      ]}
    />
  );
}
