/** The notification sinks: what each gets, where it goes, and how far the delivery is. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { CopyableText } from '../copyable-text.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { hoursAgo } from '../past/past-time.ts';
import { REFETCH_MS } from '../queries.ts';
import { timeText } from '../times.ts';
import { commandsFor, NEW_SINK } from './sink-commands.ts';
import { filterText, lagText, trouble } from './sink-text.ts';

type Sink = Schemas['NotificationSink'];

/** Changes of sinks are not announced. */
const sinksQuery = queryOptions({
  queryKey: ['notification-sinks'],
  queryFn: async () => (await answerOf(api.GET('/api/admin/notification-sinks'))).notificationSinks,
  refetchInterval: REFETCH_MS,
});

export function NotificationsPage() {
  const query = useQuery(sinksQuery);
  return (
    <Page title="Notifications">
      <Loaded query={query}>
        {(sinks) => (
          <>
            <Sinks sinks={sinks} />
            {sinks.length > 0 && <Commands sinks={sinks} />}
            <NewSink isFirst={sinks.length === 0} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const keyOf = ({ namespace, name }: Sink) => `${namespace}/${name}`;

function Sinks({ sinks }: { readonly sinks: readonly Sink[] }) {
  return (
    <Table
      label="Notification sinks"
      rows={sinks}
      keyOf={keyOf}
      empty="There is no notification sink that you may see."
      columns={[
        { name: 'Sink', cell: (sink) => <Name sink={sink} /> },
        { name: 'Type', cell: ({ type }) => type },
        { name: 'Where to', cell: (sink) => <Place sink={sink} /> },
        { name: 'What', cell: (sink) => <Filter filter={sink.filter} /> },
        { name: 'Delivered', cell: ({ lastDelivered: last }) => (last ? timeText(last.at) : 'nothing yet') },
        { name: 'Lag', cell: ({ lag }) => lagText(lag) },
        { name: 'State', cell: (sink) => <State sink={sink} /> },
        { name: 'Set aside', cell: ({ setAside }) => setAside, isNumber: true },
      ]}
    />
  );
}

function Name({ sink: { namespace, name } }: { readonly sink: Sink }) {
  return (
    <>
      {name} <span className="hint">{namespace}</span>
    </>
  );
}

function Filter({ filter }: Pick<Sink, 'filter'>) {
  return (
    <>
      {filterText(filter)}
      {filter.expression !== null && (
        <>
          {' '}
          for which <code>{filter.expression}</code>
        </>
      )}
    </>
  );
}

function Place({ sink: { host, subject } }: { readonly sink: Sink }) {
  if (host === null) return <span className="hint">in its Secret</span>;
  return (
    <>
      {host}
      {subject !== null && <span className="hint"> subject {subject}</span>}
    </>
  );
}

function State({ sink }: { readonly sink: Sink }) {
  return (
    <>
      <Delivery sink={sink} />
      {sink.lastSetAside !== null && <div className="hint">Last set aside: {sink.lastSetAside}</div>}
    </>
  );
}

function Delivery({ sink }: { readonly sink: Sink }) {
  const wrong = trouble(sink);
  if (wrong !== undefined) return <span className="error">{wrong}</span>;
  return sink.ready ? <span className="state on">Delivering</span> : <span className="state">Not judged yet</span>;
}

function Commands({ sinks }: { readonly sinks: readonly Sink[] }) {
  const [from] = useState(() => hoursAgo(1));
  return (
    <section className="part">
      <h2>Test a sink, or send entries again</h2>
      <p>
        Entries that were set aside are not lost: send them again once the receiver takes them. A replay sends all
        entries since a time once more: change the time, which is an hour ago. The commands need the permission to patch
        the sink.
      </p>
      {sinks.map((sink) => (
        <details key={keyOf(sink)}>
          <summary>Commands for {keyOf(sink)}</summary>
          {commandsFor(sink, from).map(({ label, text }) => (
            <CopyableText key={label} label={`${label}: ${keyOf(sink)}`} text={text} />
          ))}
        </details>
      ))}
    </section>
  );
}

function NewSink({ isFirst }: { readonly isFirst: boolean }) {
  return (
    <section className="part">
      <h2>Add a sink</h2>
      <p>
        A NotificationSink sends changes to a webhook, a stream of NATS, Slack, Teams or Grafana. In the namespace of
        Vexil it may send those of all projects, in the namespace of a project those of its projects. Commit the
        manifest, or apply it with kubectl.
      </p>
      <details open={isFirst}>
        <summary>Example of a new sink</summary>
        <CopyableText label="YAML of a new sink" text={NEW_SINK} />
      </details>
    </section>
  );
}
