/** The open change requests of a flag, at the environment that they would change. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { FeaturePlace } from '../feature/place.ts';
import { useAllowed } from '../use-allowed.ts';
import { type ChangeRequest, openRequestsQuery, reviewPath } from './requests-query.ts';
import { whatText } from './what-text.ts';

const ENDPOINT = 'GET /projects/{projectId}/change-requests';

interface WaitingProps {
  readonly place: FeaturePlace;
  readonly environment: string;
}

export function Waiting({ place, environment }: WaitingProps) {
  const isAllowed = useAllowed(place.projectId)(ENDPOINT);
  const { data: requests = [] } = useQuery({ ...openRequestsQuery(place), enabled: isAllowed });
  return requests
    .filter(({ environments }) => environments.includes(environment))
    .map((request) => <WaitingRequest key={request.id} {...{ request, environment }} />);
}

interface WaitingRequestProps {
  readonly request: ChangeRequest;
  readonly environment: string;
}

function WaitingRequest({ request, environment }: WaitingRequestProps) {
  const { id, project, state, createdBy, approvedBy, minApprovals } = request;
  return (
    <p className="notice">
      {createdBy} asks to {whatText(request, environment)}. {state}, {approvedBy.length} of {minApprovals} approvals.{' '}
      <Link href={reviewPath({ project: project ?? '', id })} aria-label={`Review the request of ${createdBy}`}>
        Review
      </Link>
    </p>
  );
}
