/** The change requests: what waits for approval, what it changes, and the decisions on it. */
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { useAddress } from '../use-address.ts';
import { RequestCard } from './request-card.tsx';
import { requestsQuery } from './requests-query.ts';

export function RequestsPage() {
  const { values, change } = useAddress(['show']);
  const isOpen = values.show !== 'all';
  const query = useQuery(requestsQuery(isOpen));
  return (
    <Page title="Change requests">
      <search className="filter">
        <label>
          Show
          <select value={values.show} onChange={({ target }) => change({ show: target.value })}>
            <option value="">Open requests</option>
            <option value="all">All requests</option>
          </select>
        </label>
      </search>
      <Loaded query={query}>
        {(requests) => (
          <>
            {requests.length === 0 && (
              <p className="empty">
                Nothing waits for approval. Changes in an environment with approvals appear here when somebody asks for
                them.
              </p>
            )}
            {requests.map((request) => (
              <RequestCard key={request.id} request={request} />
            ))}
          </>
        )}
      </Loaded>
    </Page>
  );
}
