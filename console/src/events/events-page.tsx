/** The history of all that the user may see, newest first, with its filters in the address. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api, prefix } from '../api.ts';
import { Changes, changesOf } from '../editor/history/changes.tsx';
import { useSegmentNames } from '../feature/segment-names.ts';
import { FeatureLink } from '../feature-link.tsx';
import { PAGE_SIZE } from '../list/page-range.ts';
import { Pager } from '../list/pager.tsx';
import { Table } from '../list/table.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { timeText } from '../times.ts';
import { useAddress } from '../use-address.ts';
import { differenceText } from './difference-text.ts';
import { eventName } from './event-name.ts';
import { Confirmation, Origin, Reason } from './origin.tsx';
import { isWay, WayChoice } from './way-choice.tsx';

type Event = Schemas['Event'];

/** The filters, by their names in the address. */
const FILTERS = {
  id: { label: 'Entry', type: 'search' },
  feature: { label: 'Flag', type: 'search' },
  project: { label: 'Project', type: 'search' },
  environment: { label: 'Environment', type: 'search' },
  type: { label: 'Type', type: 'search' },
  author: { label: 'Author', type: 'search' },
  query: { label: 'Text', type: 'search' },
  channel: 'choice',
  from: { label: 'From', type: 'date' },
  to: { label: 'To', type: 'date' },
} as const;
type EventFilter = keyof typeof FILTERS;
const NAMES = Object.keys(FILTERS) as EventFilter[];

/** The filters that search in texts; the others compare values. */
const TEXTS: ReadonlySet<string> = new Set<EventFilter>(['author', 'query']);

function queryOf(values: Readonly<Record<EventFilter, string>>): Readonly<Record<string, string>> {
  const given = Object.entries(values).filter(([name, value]) => (name === 'channel' ? isWay(value) : value !== ''));
  return Object.fromEntries(given.map(([name, value]) => [name, TEXTS.has(name) ? value : `IS:${value}`]));
}

const eventsQuery = (search: Readonly<Record<string, string>>, offset: number) =>
  queryOptions({
    queryKey: ['events', search, offset],
    queryFn: () => {
      const query = { ...search, offset: `${offset}`, limit: `${PAGE_SIZE}`, exactTotal: false };
      return answerOf(api.GET('/api/admin/search/events', { params: { query } }));
    },
    placeholderData: keepPreviousData,
  });

export function EventsPage() {
  const { values, offset, change, move } = useAddress(NAMES);
  const search = queryOf(values);
  const query = useQuery(eventsQuery(search, offset));
  return (
    <Page title="Events">
      <search className="filter">
        {NAMES.map((name) => {
          if (name === 'channel') {
            return <WayChoice key={name} value={values.channel} onChange={(channel) => change({ channel })} />;
          }
          const { label, type } = FILTERS[name];
          return (
            <label key={name}>
              {label}
              <input type={type} value={values[name]} onChange={({ target }) => change({ [name]: target.value })} />
            </label>
          );
        })}
      </search>
      <Loaded query={query}>
        {({ events, total, totalIsAtLeast }) => (
          <>
            <Pager {...{ offset, total }} isAtLeast={totalIsAtLeast} of="Events" onMove={move} />
            <Events events={events} />
            {total > 0 && (
              <p className="below">
                <a
                  href={`${prefix}/api/admin/search/events/export?${new URLSearchParams(search)}`}
                  download="events.ndjson"
                >
                  Download all {totalIsAtLeast ? '' : `${total} `}as JSON lines
                </a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Events({ events }: { readonly events: readonly Event[] }) {
  return (
    <Table
      label="Events"
      rows={events}
      keyOf={({ id }) => id}
      empty="No event is found."
      columns={[
        { name: 'Event', cell: (event) => <What event={event} /> },
        { name: 'Where', cell: (event) => <Where event={event} /> },
        { name: 'Author', cell: (event) => <Who event={event} /> },
        {
          name: 'Time',
          cell: ({ id, createdAt }) => (
            <Link href={`/events?id=${id}`} className="entry-link" title={`Link to the entry ${id}`}>
              <time dateTime={createdAt}>{timeText(createdAt)}</time>
            </Link>
          ),
        },
      ]}
    />
  );
}

function What({ event }: { readonly event: Event }) {
  const nameOfSegment = useSegmentNames();
  const changes = changesOf(event, nameOfSegment);
  const difference = changes.length > 0 ? '' : differenceText(event.preData, event.data);
  return (
    <>
      {eventName(event)} <span className="hint">{event.type}</span>
      <Changes changes={changes} />
      {difference !== '' && (
        <details className="difference">
          <summary>What changed</summary>
          <pre>{difference}</pre>
        </details>
      )}
    </>
  );
}

function Who({ event }: { readonly event: Event }) {
  return (
    <>
      {event.createdBy} <Origin event={event} /> <Confirmation event={event} />
      <Reason event={event} />
    </>
  );
}

function Where({ event: { featureName, project, environment } }: { readonly event: Event }) {
  const isFlag = featureName !== null && project !== null;
  return (
    <>
      {isFlag ? <FeatureLink project={project} name={featureName} /> : project}
      {environment !== null && <span className="hint"> in {environment}</span>}
    </>
  );
}
