/** The link to the review that copies the configuration of another environment, for users who may copy. */
import { Link } from 'wouter';
import { ENVIRONMENT_ENDPOINTS } from '../editor/flag-paths.ts';
import { copyPath } from '../feature-link.tsx';
import { useAllowed } from '../use-allowed.ts';
import type { EnvironmentPlace } from './place.ts';

interface CopyLinkProps {
  /** The environment to copy to. */
  readonly place: EnvironmentPlace;
  /** The environment to copy from; absent: the user chooses it. */
  readonly from?: string;
  readonly text?: string;
}

export function CopyLink({ place, from = '', text = 'Copy from…' }: CopyLinkProps) {
  const isAllowed = useAllowed(place.projectId, place.environment);
  if (!isAllowed(ENVIRONMENT_ENDPOINTS.copy)) return null;
  return <Link href={copyPath(place, from)}>{text}</Link>;
}
