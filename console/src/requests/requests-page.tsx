/** The change requests: what waits for approval, what it changes, and the decisions on it. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ShowMore } from '../list/show-more.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { Select } from '../select.tsx';
import { useAddress } from '../use-address.ts';
import { RequestCard } from './request-card.tsx';
import { CHOICES, type Choice, oneRequestQuery, requestsQuery } from './requests-query.ts';

export function RequestsPage() {
  const { values, change } = useAddress(['show', 'project', 'request']);
  const { project, request: id } = values;
  if (project !== '' && id !== '') return <Review place={{ project, id }} />;
  return <Requests choice={isChoice(values.show) ? values.show : ''} onShow={(show) => change({ show })} />;
}

function isChoice(text: string): text is Choice {
  return Object.hasOwn(CHOICES, text);
}

interface RequestsProps {
  readonly choice: Choice;
  readonly onShow: (show: string) => void;
}

function Requests({ choice, onShow }: RequestsProps) {
  const query = useInfiniteQuery(requestsQuery(choice));
  return (
    <Page title="Change requests">
      <search className="filter">
        <Select
          label="Show"
          of={Object.entries(CHOICES).map(([value, { name }]) => [value, name])}
          value={choice}
          onChange={onShow}
        />
      </search>
      <Loaded query={query}>
        {(requests) => (
          <>
            {requests.length === 0 && (
              <p className="empty">
                {choice === '' || choice === 'all' ? 'Nothing waits for approval.' : 'There is no such request.'}{' '}
                Changes in an environment with approvals appear here when somebody asks for them.
              </p>
            )}
            {requests.map((request) => (
              <RequestCard key={request.id} request={request} />
            ))}
            {query.hasNextPage && (
              <ShowMore isReading={query.isFetchingNextPage} onMore={() => void query.fetchNextPage()} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Review({ place }: { readonly place: Parameters<typeof oneRequestQuery>[0] }) {
  const query = useQuery(oneRequestQuery(place));
  return (
    <Page title="Change request">
      <p>
        <Link href="/change-requests">All change requests</Link>
      </p>
      <Loaded query={query}>
        {(requests) => requests.map((request) => <RequestCard key={request.id} request={request} isAlone />)}
      </Loaded>
    </Page>
  );
}
