/** The events of a flag by day, newest first, with what each of them changed. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api.generated.ts';
import { eventName } from '../../events/event-name.ts';
import { Confirmation, Origin, Reason } from '../../events/origin.tsx';
import type { FeaturePlace } from '../../feature/place.ts';
import { useSegmentNames } from '../../feature/segment-names.ts';
import { featurePath } from '../../feature-link.tsx';
import { ShowMore } from '../../list/show-more.tsx';
import { Loaded } from '../../loaded.tsx';
import { type PastTime, withPast } from '../../past/past-time.ts';
import { permissionsQuery } from '../../queries.ts';
import { planFor } from '../flag-plan.ts';
import type { Plan } from '../review/plan.ts';
import { Review } from '../review/review.tsx';
import { useBypass } from '../use-bypass.ts';
import { Changes, changesOf } from './changes.tsx';
import { HistoryFilters, useHistoryFilters } from './filters.tsx';
import { historyQuery } from './history-query.ts';
import { putBackOf } from './put-back.ts';
import '../../style/editor.css';
import { HAND_OVER_ENDPOINT } from '../../switch/write-switch.ts';

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

type Event = Schemas['Event'];

export function History({ place }: { readonly place: FeaturePlace }) {
  const { values, change, isFiltered } = useHistoryFilters();
  const query = useInfiniteQuery(historyQuery(place, values));
  const [plan, setPlan] = useState<Plan>();
  if (plan) return <Review plan={plan} onBack={() => setPlan(undefined)} onDone={() => setPlan(undefined)} />;
  return (
    <>
      {values.entry === '' ? (
        <HistoryFilters projectId={place.projectId} values={values} onChange={change} />
      ) : (
        <p>
          <Link href={`${featurePath(place.projectId, place.featureName)}?tab=history`}>The whole history</Link>
        </p>
      )}
      <Loaded query={query}>
        {(events) =>
          events.length === 0 ? (
            <p className="empty">
              {isFiltered ? 'No event matches the filters.' : 'Nothing is recorded about this flag.'}
            </p>
          ) : (
            <>
              <Timeline place={place} events={events} onPutBack={setPlan} />
              {query.hasNextPage && (
                <ShowMore isReading={query.isFetchingNextPage} onMore={() => void query.fetchNextPage()} />
              )}
              <p className="hint">
                <Link href={`/events?${new URLSearchParams({ feature: place.featureName })}`}>Search these events</Link>
              </p>
            </>
          )
        }
      </Loaded>
    </>
  );
}

interface TimelineProps {
  readonly place: FeaturePlace;
  readonly events: readonly Event[];
  readonly onPutBack: (plan: Plan) => void;
}

function Timeline({ place, events, onPutBack }: TimelineProps) {
  const days = Map.groupBy(events, ({ createdAt }) => day.format(new Date(createdAt)));
  return [...days].map(([name, some]) => (
    <section key={name} className="day">
      <h2>{name}</h2>
      <ol className="timeline">
        {some.map((event) => (
          <li key={event.id}>
            <TimelineEvent place={place} event={event} onPutBack={onPutBack} />
          </li>
        ))}
      </ol>
    </section>
  ));
}

interface TimelineEventProps extends Pick<TimelineProps, 'place' | 'onPutBack'> {
  readonly event: Event;
}

function TimelineEvent({ place, event, onPutBack }: TimelineEventProps) {
  const { createdAt, createdBy, environment } = event;
  const name = eventName(event);
  const { data: allowed } = useQuery(permissionsQuery(place.projectId, environment ?? undefined));
  const nameOfSegment = useSegmentNames();
  const bypass = useBypass(place.projectId, environment ?? undefined);
  const putBack = putBackOf(place, event);
  const what = `${name}${environment === null ? '' : ` in ${environment}`}, ${time.format(new Date(createdAt))}`;
  return (
    <>
      <time dateTime={createdAt}>{time.format(new Date(createdAt))}</time>
      <div>
        <p>
          <strong>{name}</strong>
          {environment !== null && ` in ${environment}`} <span className="hint">by {createdBy}</span>{' '}
          <Origin event={event} /> <Confirmation event={event} />{' '}
          <Link href={entryPath(place, event)} className="entry-link" aria-label={`Link to the entry ${event.id}`}>
            #{event.id}
          </Link>
        </p>
        <Reason event={event} />
        <Changes changes={changesOf(event, nameOfSegment)} />
        <div className="entry-ways">
          <Link
            href={withPast(featurePath(place.projectId, place.featureName), timeBefore(event))}
            aria-label={`The flag before this: ${what}`}
          >
            The flag before this
          </Link>
          {putBack && allowed?.has(putBack.endpoint) && (
            <button
              type="button"
              className="quiet"
              aria-label={`Put it back: ${what}`}
              onClick={() =>
                onPutBack(planFor(place, [putBack.step], { mayHandOver: allowed.has(HAND_OVER_ENDPOINT), bypass }))
              }
            >
              Put it back
            </button>
          )}
        </div>
      </div>
    </>
  );
}

/** The last moment at which the change was not recorded: if it is uncertain, the state before the change. */
function timeBefore({ createdAt }: Event): PastTime {
  return { at: new Date(Date.parse(createdAt) - 1).toISOString(), inGap: 'before' };
}

function entryPath({ projectId, featureName }: FeaturePlace, { id }: Event): string {
  return `${featurePath(projectId, featureName)}?${new URLSearchParams({ tab: 'history', entry: `${id}` })}`;
}
